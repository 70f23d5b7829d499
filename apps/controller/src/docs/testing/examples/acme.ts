import { setTimeout as wait } from 'node:timers/promises';
import * as acme from '@zoneproof/acme';

/** A certificate and its key. `publish` returns when the TXT value can be seen at every server of the zone. */
export async function issue(
  directoryUrl: string,
  names: readonly string[],
  publish: (name: string, value: string) => Promise<void>,
  http: acme.HttpClient = acme.defaultHttp(),
) {
  const signal = AbortSignal.timeout(300_000);
  const { key } = await acme.generateAccountKey(); // a real program keeps its `pem`
  const ca = acme.createAcmeClient({ directoryUrl, http, key });
  await ca.ensureAccount({ termsOfServiceAgreed: true }, signal);

  let order = await ca.newOrder({ names }, signal);
  for (const url of order.authorizationUrls) {
    const authorization = await ca.authorization(url, signal);
    const challenge = acme.dns01Challenge(authorization);
    if (authorization.status !== 'pending' || challenge === undefined) continue;
    const name = `${acme.dns01Label}.${authorization.identifier.value}`;
    await publish(name, acme.dns01Value(challenge.token, key));
    await ca.respond(challenge.url, signal);
  }
  const keyPem = await acme.createCertificateKey({ algorithm: 'ECDSA' });
  for (let polls = 0; order.status !== 'valid'; polls++) {
    if (order.status === 'invalid') throw new Error(order.error?.detail ?? 'The CA refused the order.');
    if (order.status === 'ready') await ca.finalize(order.finalizeUrl, await acme.createCsr(names, keyPem), signal);
    const at = acme.nextPollAt({ now: Date.now(), polls, ...order }) ?? Date.now();
    await wait(at - Date.now(), undefined, { signal });
    order = await ca.order(order.url, signal);
  }
  const { pemChain } = await ca.certificate(order.certificateUrl as string, signal);
  const { notAfter } = acme.verifyCertificate({ pemChain, names, keyPem, now: Date.now() });
  return { pemChain, keyPem, notAfter };
}
