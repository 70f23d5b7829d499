/** What the Secrets of the plugin's example hold, for tests of documents that show it: Secret, entry, text. */
export const exampleSecrets = { tsig: { secret: Buffer.alloc(32, 1).toString('base64') } };
