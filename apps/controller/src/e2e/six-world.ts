import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toDnsName } from '@zoneproof/dns';
import type { EmulatedZones, EmulatorServer } from '@zoneproof/provider-testkit';
import { type AkamaiEdgeDnsEmulator, startAkamaiEdgeDns } from '@zoneproof/provider-testkit/akamai-edge-dns';
import { type CloudflareEmulator, startCloudflare } from '@zoneproof/provider-testkit/cloudflare';
import { type GoogleCloudDns, startGoogleCloudDns } from '@zoneproof/provider-testkit/google-cloud-dns';
import { type Route53Emulator, startRoute53 } from '@zoneproof/provider-testkit/route53';
import { type Sandbox, startSandbox } from '@zoneproof/sandbox';
import { main } from '../cli/main.ts';
import { collector } from '../cli/testing/run-main.ts';

/** Where a provider publishes, and what it needs for that. */
export interface Account {
  /** The provider's `name` in the Issuer. */
  readonly name: string;
  readonly key: string;
  /** The block's fields that lead to the service, and those that tell who asks. */
  readonly block: Readonly<Record<string, unknown>>;
  /** Entries of the Secret that is named after the provider. */
  readonly secrets: Readonly<Record<string, string>>;
  /** A name that this provider alone serves. */
  readonly domain: string;
  /** What was written to at the service so far, by the service's own word; each once. */
  written(): readonly string[];
  /** All that has to be: the domain's challenge name, a zone of the name server, an account of acme-dns. */
  readonly place: string;
  /** What stands there now; nothing can be removed from acme-dns. */
  values(): readonly string[];
}

/** The sandbox, the emulators of four vendors (two accounts of one), and the vendors' zones in the sandbox's DNS. */
export interface SixWorld {
  readonly sandbox: Sandbox;
  readonly google: GoogleCloudDns;
  readonly amazon: Route53Emulator;
  readonly otherAmazon: Route53Emulator;
  readonly cloudflare: CloudflareEmulator;
  readonly akamai: AkamaiEdgeDnsEmulator;
  /** Of the four emulators and of the sandbox, in the order of the providers in the Issuer. */
  readonly accounts: readonly Account[];
  /** Every secret text that was handed out. */
  readonly secretTexts: readonly string[];
  close(): Promise<void>;
}

const zones = {
  google: 'gcp.example.test',
  amazon: 'aws.example.test',
  otherAmazon: 'other-aws.example.test',
  cloudflare: 'cf.example.test',
  akamai: 'akamai.example.test',
};

export async function startSixWorld(): Promise<SixWorld> {
  const sandbox = await startSandbox({ zones: Object.values(zones) });
  const google = await startGoogleCloudDns({ zones: [zones.google], pendingPolls: 0 });
  const amazon = await startRoute53({ zones: [zones.amazon] });
  const otherAmazon = await startRoute53({ zones: [zones.otherAmazon] });
  const cloudflare = await startCloudflare({ zones: [zones.cloudflare] });
  const akamai = await startAkamaiEdgeDns({ pendingLooks: 0 });
  akamai.addZone(zones.akamai);
  const accounts: readonly Account[] = [
    emulated('clouddns', 'clouddns', google, zones.google, {
      block: { project: google.project },
      secrets: { serviceAccount: JSON.stringify(google.serviceAccount) },
    }),
    emulated('aws', 'routedns', amazon, zones.amazon, awsLogin(amazon)),
    emulated('other-aws', 'routedns', otherAmazon, zones.otherAmazon, awsLogin(otherAmazon)),
    emulated('edgedns', 'edgedns', cloudflare, zones.cloudflare, {
      block: { endpoint: cloudflare.endpoint },
      secrets: { apiToken: cloudflare.apiToken },
    }),
    emulated('fastdns', 'fastdns', akamai, zones.akamai, {
      block: { serviceConsumerDomain: 'akab-emulator.luna.akamaiapis.net' },
      secrets: {
        clientToken: akamai.client.clientToken,
        clientSecret: akamai.client.clientSecret,
        accessToken: akamai.client.accessToken,
      },
    }),
    ...ofSandbox(sandbox),
  ];

  /** What a vendor publishes is what the name servers of its zone answer. */
  function emulated(
    name: string,
    key: string,
    service: EmulatorServer & EmulatedZones,
    zone: string,
    { block, secrets }: Pick<Account, 'block' | 'secrets'>,
  ): Account {
    const domain = `www.${zone}`;
    const place = toDnsName(`_acme-challenge.${domain}`);
    const written = new Set<string>();
    service.onPublish((change) => {
      if (change.values.length > 0) written.add(change.name);
      sandbox.dns.setTxt(change.name, change.values, change.ttl);
    });
    return {
      name,
      key,
      block: { endpoint: service.origin, caBundle: service.caBundle, ...block },
      secrets,
      domain,
      written: () => [...written],
      place,
      values: () => service.published(place).values,
    };
  }

  return {
    sandbox,
    google,
    amazon,
    otherAmazon,
    cloudflare,
    akamai,
    accounts,
    secretTexts: [
      ...accounts.flatMap(({ secrets }) => Object.values(secrets)),
      ...google.serviceAccount.private_key.split('\n').filter((line) => line.length > 30),
      sandbox.acmeDnsAccount.password,
    ],
    async close() {
      await Promise.all([google, amazon, otherAmazon, cloudflare, akamai, sandbox].map((service) => service.close()));
    },
  };
}

function awsLogin(aws: Route53Emulator): Pick<Account, 'block' | 'secrets'> {
  return {
    block: { region: 'eu-central-1', accessKeyID: aws.accessKeyId },
    secrets: { secretAccessKey: aws.secretAccessKey },
  };
}

function ofSandbox({ dns, acmeDns, acmeDnsAccount, tsigKey }: Sandbox): readonly Account[] {
  return [
    {
      name: 'rfc2136',
      key: 'rfc2136',
      block: {
        nameserver: `${dns.server.address}:${dns.server.port}`,
        tsigKeyName: tsigKey.name,
        tsigAlgorithm: 'HMACSHA256',
      },
      secrets: { tsigSecret: Buffer.from(tsigKey.secret).toString('base64') },
      domain: 'www.shop.test',
      written: () => [...new Set(dns.updates.filter(({ records }) => records > 0).map(({ zone }) => zone))],
      place: 'shop.test',
      values: () => dns.values('_acme-challenge.www.shop.test'),
    },
    {
      name: 'acmedns',
      key: 'acmedns',
      block: { host: acmeDns.url, nameserver: `${acmeDns.dns.address}:${acmeDns.dns.port}` },
      secrets: { account: JSON.stringify({ 'app.example.test': acmeDnsAccount }) },
      domain: 'app.example.test',
      written: () => [...new Set(acmeDns.updates.map(({ subdomain }) => subdomain))],
      place: acmeDnsAccount.subdomain,
      values: () => [],
    },
  ];
}

/** The blocks of providers in an Issuer, with a reference for each secret. */
export function providersOf(accounts: readonly Account[]): readonly object[] {
  return accounts.map(({ name, key, block, secrets, domain }) => {
    const refs = Object.keys(secrets).map((entry) => [`${entry}SecretRef`, { name, key: entry }]);
    return { name, selector: { dnsNames: [domain] }, [key]: { ...block, ...Object.fromEntries(refs) } };
  });
}

export function issuerOf(sandbox: Sandbox, name: string, providers: readonly object[]): object {
  return {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Issuer',
    metadata: { name },
    spec: {
      acme: {
        email: 'admin@example.test',
        server: sandbox.ca.directoryUrl,
        caBundle: sandbox.ca.rootPem,
        privateKeySecretRef: { name: `${name}-account` },
        dns01: { providers },
      },
    },
  };
}

export function certificateOf(name: string, issuer: string, dnsNames: readonly string[]): object {
  return {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Certificate',
    metadata: { name },
    spec: { secretName: `${name}-tls`, issuerRef: { name: issuer }, dnsNames },
  };
}

export function secretsOf(accounts: readonly Account[]): readonly object[] {
  return accounts.map(({ name, secrets }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: secrets,
  }));
}

/** Puts manifests into a directory, in one file. */
export async function putManifests(directory: string, objects: readonly object[]): Promise<void> {
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  await writeFile(join(directory, 'all.yaml'), text, { mode: 0o600 });
}

export interface Running {
  /** All that was printed so far. */
  text(): string;
  readonly exitCode: Promise<number>;
}

/** `zoneproof run DIRECTORY` with the providers that are installed, and the sandbox for the world. */
export function runZoneproof(
  { sandbox }: SixWorld,
  directory: string,
  { args = [], signal }: { readonly args?: readonly string[]; readonly signal?: AbortSignal } = {},
): Running {
  const out = collector();
  const nameservers = sandbox.resolvers.map(({ address, port }) => `${address}:${port}`).join(',');
  const where = ['--state', join(directory, 'state'), '--dns01-self-check-nameservers', nameservers];
  const exitCode = main(['run', directory, ...where, ...args], {
    stdout: out,
    stderr: out,
    env: {},
    transport: sandbox.transport,
    ...(signal && { signal }),
  });
  return { text: out.text, exitCode };
}

/** The chain that a certificate was stored with. */
export function storedChain(directory: string, certificate: string): Promise<string> {
  return readFile(join(directory, 'state', 'certs', 'default', certificate, 'tls.crt'), 'utf8');
}
