export {
  type AddedZone,
  type CloudflareEmulator,
  type CloudflareOptions,
  type CloudflarePermission,
  startCloudflare,
} from './cloudflare.ts';
