export { algorithmText } from './algorithms.ts';
export { dsDigest, keyTag, type ZoneKeys } from './key.ts';
export type { BrokenLink, DnssecLink, DnssecProblem, SoundLink, UnsignedLink } from './link.ts';
export { type SignedRrset, signedRrset } from './rrset.ts';
export { rootTrustAnchors } from './trust-anchors.ts';
export { verifyRrset } from './verify-rrset.ts';
export { verifyAnchoredZone, verifyZoneCut, type ZoneCut, type ZoneVerdict } from './verify-zone.ts';
