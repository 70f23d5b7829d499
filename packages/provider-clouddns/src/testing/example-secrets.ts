import { generateKeyPairSync } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const serviceAccount = {
  type: 'service_account',
  project_id: 'dns-prod-1234',
  private_key_id: '0123456789abcdef',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'zoneproof@dns-prod-1234.iam.gserviceaccount.com',
};

/** What the Secrets of the plugin's example hold, for tests of documents that show it: Secret, entry, text. */
export const exampleSecrets = { clouddns: { 'service-account.json': JSON.stringify(serviceAccount) } };
