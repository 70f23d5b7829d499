import { existsSync } from 'node:fs';
import {
  type Finding,
  type PreflightReport,
  type PreflightTarget,
  type SelfCheckMode,
  systemRandom,
  systemTimers,
  worstOf,
} from '@zoneproof/core';
import { DnsNameError, labelsOf, toDnsName } from '@zoneproof/dns';
import type { SelfCheckSpec } from '../resources/types.ts';
import { createDnsViews } from '../runtime/dns-views.ts';
import { everythingAllowed } from '../tenancy/index.ts';
import { createCheckProgress } from './check-progress.ts';
import { openManifestTargets } from './check-targets.ts';
import { type CommandContext, UsageError } from './context.ts';
import type { CheckReport } from './output/check-schema.ts';
import { showCheck } from './output/check-text.ts';
import { resolversOf } from './resolvers-option.ts';
import { untilStopped } from './signals.ts';
import { openEgress } from './standalone.ts';

export interface CheckOptions {
  readonly state: string;
  readonly secrets?: string;
  readonly caaIdentity: readonly string[];
  readonly write: boolean;
  readonly dns01SelfCheckNameservers?: string;
  readonly dns01SelfCheckMode: SelfCheckMode;
  readonly pluginDir?: readonly string[];
  readonly output: 'text' | 'json';
}

/** One thing that is checked as a whole: a Certificate, an Issuer without one, or a bare name. */
export interface CheckTarget {
  readonly kind: 'Certificate' | 'Issuer' | 'ClusterIssuer' | 'Name';
  /** `default/shop`, `www.example.com`. */
  readonly name: string;
  readonly target: PreflightTarget;
  /** Whom its Issuer wants to be asked. */
  readonly selfCheck?: SelfCheckSpec;
}

/** Targets that are checked side by side; each asks for several names at once. */
const targetsAtOnce = 8;

/**
 * `zoneproof check`: says what is wrong before a CA does. 0 when issuance would succeed as far as can be seen, 1 when it
 * would fail, 2 for wrong usage and invalid manifests.
 */
export async function check(args: readonly string[], options: CheckOptions, context: CommandContext): Promise<number> {
  const { names, paths } = sortArguments(args);
  if (options.write && paths.length === 0)
    throw new UsageError('--write needs manifests: a bare name tells no provider to write with.');
  const resolvers = resolversOf(options.dns01SelfCheckNameservers);
  const { clock } = context;
  const egress = openEgress(context);
  const stopping = untilStopped(context.inputs.signal);
  const opened = paths.length === 0 ? undefined : await openManifestTargets(paths, options, egress, context);
  try {
    if (opened !== undefined && 'invalid' in opened) return 2;
    const targets = [...(opened?.targets ?? []), ...names.map((name) => nameTarget(name, options.caaIdentity))];
    const progress = createCheckProgress(context, targets.length);
    const views = createDnsViews({
      resolvers,
      mode: options.dns01SelfCheckMode,
      tenancy: everythingAllowed(egress),
      clock,
      random: systemRandom,
      timers: systemTimers,
      signal: stopping.signal,
      onFinding: progress.note,
    });
    try {
      const reports = await inTurn(targets, targetsAtOnce, async (one) => {
        const report = await views(one.selfCheck, 'Issuer').preflight.check(one.target, stopping.signal);
        progress.done();
        return report;
      });
      progress.close();
      const report = checkReport(targets, reports, clock.now());
      context.out.write(
        options.output === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : showCheck(report, context),
      );
      return report.result === 'failed' ? 1 : 0;
    } catch (error) {
      progress.close();
      if (!stopping.signal.aborted) throw error;
      context.err.write('zoneproof: stopped; nothing more is asked.\n');
      return 1;
    }
  } finally {
    if (opened !== undefined && 'close' in opened) await opened.close();
    stopping.release();
    await egress.close();
  }
}

/** What is there as a file or looks like one is a manifest; everything else has to be a name. */
function sortArguments(args: readonly string[]): {
  readonly names: readonly string[];
  readonly paths: readonly string[];
} {
  const names: string[] = [];
  const paths: string[] = [];
  for (const arg of args) {
    if (existsSync(arg) || /[/\\]|\.(?:ya?ml|json)$/i.test(arg)) {
      paths.push(arg);
      continue;
    }
    try {
      const name = toDnsName(arg);
      if (labelsOf(name).length < 2) throw new DnsNameError(arg, 'it has one label only');
      names.push(name);
    } catch (error) {
      if (!(error instanceof DnsNameError)) throw error;
      throw new UsageError(`there is no file or directory ${arg}, and ${error.message}.`);
    }
  }
  return { names, paths };
}

function nameTarget(name: string, caaIdentities: readonly string[]): CheckTarget {
  return { kind: 'Name', name, target: { names: [name], caaIdentities } };
}

/** Runs `work` for each, at most `max` at once, and fails only when all have ended: some clean up. */
async function inTurn<T, R>(items: readonly T[], max: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const next = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of next) results[at] = await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(max, items.length) }, worker));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return results;
}

/** Each finding once, however many targets it concerns. */
function checkReport(targets: readonly CheckTarget[], reports: readonly PreflightReport[], now: number): CheckReport {
  const findings = new Map<string, Finding>();
  const shown = targets.map(({ kind, name, target }, at) => {
    const report = reports[at] as PreflightReport;
    const keys = report.findings.map((finding) => {
      const key = `${finding.id} ${finding.about.kind} ${finding.about.name}`;
      findings.set(key, findings.get(key) ?? finding);
      return key;
    });
    return { kind, name, names: [...target.names], result: report.result, keys };
  });
  const order = [...findings.keys()];
  return {
    apiVersion: 'zoneproof.dev/v1alpha1',
    kind: 'Check',
    time: new Date(now).toISOString(),
    result: worstOf(reports.map(({ result }) => result)),
    targets: shown.map(({ keys, ...rest }) => ({ ...rest, findings: keys.map((key) => order.indexOf(key)) })),
    findings: [...findings.values()].map(({ id, title, about, result, detail, facts }) => ({
      id,
      title,
      about: { ...about },
      result,
      detail,
      facts,
    })),
  };
}
