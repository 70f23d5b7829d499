import type { DsData } from '../message.ts';

/**
 * The keys of the root zone, as DS data, from https://data.iana.org/root-anchors/root-anchors.xml: KSK-2017 and KSK-2024,
 * its successor. One of them has to match; a change of the root's key is announced years before.
 */
export const rootTrustAnchors: readonly DsData[] = [
  anchor(20326, 'e06d44b80b8f1d39a95c0b0d7c65d08458e880409bbc683457104237c7f8ec8d'),
  anchor(38696, '683d2d0acb8c9b712a1948b27f741219298d0a450d612c483af444a4c0fb2b16'),
];

function anchor(keyTag: number, digest: string): DsData {
  return { keyTag, algorithm: 8, digestType: 2, digest: Buffer.from(digest, 'hex') };
}
