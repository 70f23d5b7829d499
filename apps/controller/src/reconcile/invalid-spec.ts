import { checkCertificate } from '../manifests/certificate.ts';
import { checkIssuer } from '../manifests/issuer.ts';
import { type ReportProblem, showPath } from '../manifests/problem.ts';
import { checkSelector } from '../manifests/provider.ts';
import type { Certificate, Issuer } from '../resources/types.ts';
import { Problem } from './problem.ts';

/**
 * What is wrong with a spec, beyond what the rules of a CRD can tell: names that stand for nothing, certificates that
 * cannot be read. Standalone, manifests with such problems come no further than their check. Undefined when all is well.
 */
export function invalidSpec(object: Certificate | Issuer): Problem | undefined {
  const { spec } = object;
  if (!known.has(spec)) known.set(spec, problemOf(object));
  return known.get(spec);
}

// A spec is the same object until somebody changes it.
const known = new WeakMap<object, Problem | undefined>();

function problemOf(object: Certificate | Issuer): Problem | undefined {
  const told: string[] = [];
  const report: ReportProblem = (path, message, severity = 'error') => {
    if (severity === 'error') told.push(`${showPath(path)}: ${message}`);
  };
  if (object.kind === 'Certificate') checkCertificate({ ...object.spec }, report);
  else {
    checkIssuer(object.spec, report);
    for (const [i, { selector }] of object.spec.acme.dns01.providers.entries())
      checkSelector(selector, ['spec', 'acme', 'dns01', 'providers', i, 'selector'], report);
  }
  return told.length === 0 ? undefined : new Problem('SpecInvalid', told.join(' '), 'change');
}
