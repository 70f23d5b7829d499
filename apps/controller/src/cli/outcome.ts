import { resolve } from 'node:path';
import { type Condition, objectTitle } from '../resources/index.ts';
import type { Store } from '../store/index.ts';
import { certificateFiles } from './output/certificate-files.ts';
import { describeProgress } from './output/progress.ts';
import { printable, type Style } from './terminal/style.ts';
import { count } from './validate.ts';

/** The end of a `run --once`: each certificate with its files, or with the reason why there are none. */
export function showOutcome(store: Store, stateDir: string, style: Style): string {
  const certificates = [...store.list('Certificate')].sort((a, b) => titleOf(a).localeCompare(titleOf(b)));
  let ready = 0;
  let text = '';
  for (const certificate of certificates) {
    const { namespace, name } = certificate.metadata;
    const { order } = certificate.status;
    const progress = describeProgress(
      certificate,
      order === undefined ? undefined : store.get('Order', namespace, order),
    );
    if (progress.state === 'ready') {
      ready++;
      const { certificate: chain, key } = certificateFiles(resolve(stateDir), namespace, name);
      text += `${style.green('ready')}      ${namespace}/${name}: ${progress.text}\n           ${chain}\n           ${key}\n`;
    } else text += `${style.red('not ready')}  ${namespace}/${name}: ${progress.text}\n`;
  }
  for (const { kind, metadata, status } of [...store.list('Issuer'), ...store.list('ClusterIssuer')]) {
    const { status: is, reason, message } = readyCondition(status) ?? {};
    if (is !== 'True')
      text += `${style.red('not ready')}  ${objectTitle({ kind, ...metadata })}: ${printable(`${reason ?? 'not looked at yet'}${message ? `: ${message}` : ''}`)}\n`;
  }
  if (certificates.length === 0) return `${text}The manifests hold no Certificate: there is nothing to issue.\n`;
  return `${text}${ready} of ${count(certificates.length, 'certificate')} ready.\n`;
}

export function readyCondition({ conditions }: { readonly conditions?: readonly Condition[] }): Condition | undefined {
  return conditions?.find(({ type }) => type === 'Ready');
}

function titleOf({ metadata }: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${metadata.namespace}/${metadata.name}`;
}
