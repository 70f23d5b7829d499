const account = {
  username: 'c36f50e8-4632-44f0-83fe-e070fef28a10',
  password: 'htB9mR9DYgcu9bX_afHF62erXaH2TS7bg9KW3F7Z',
  fulldomain: '8e5700ea-a4bf-41c7-8a77-e990661dcc6a.auth.example.net',
  subdomain: '8e5700ea-a4bf-41c7-8a77-e990661dcc6a',
  allowfrom: [],
};

/** What the Secrets of the plugin's example hold, for tests of documents that show it: Secret, entry, text. */
export const exampleSecrets = { acmedns: { 'accounts.json': JSON.stringify({ 'example.com': account }) } };
