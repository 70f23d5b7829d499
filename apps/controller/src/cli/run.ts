import type { SelfCheckMode } from '@zoneproof/core';
import { type ManifestProblem, showProblem } from '../manifests/index.ts';
import { describeDiskError } from '../store/disk-error.ts';
import type { Store } from '../store/index.ts';
import type { CommandContext } from './context.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { readyCondition, showOutcome } from './outcome.ts';
import type { ProcessReport } from './output/report-line.ts';
import { createProgressDisplay, type ProgressDisplay } from './progress-display.ts';
import { openRegistry } from './registry.ts';
import { resolversOf } from './resolvers-option.ts';
import { aborted, untilStopped } from './signals.ts';
import { ManifestsError, type Standalone, type StandaloneOptions, startStandalone } from './standalone.ts';
import { count } from './validate.ts';
import { watchFiles } from './watch-files.ts';

export interface RunOptions {
  readonly state: string;
  readonly secrets?: string;
  readonly once: boolean;
  readonly dns01SelfCheckNameservers?: string;
  readonly dns01SelfCheckMode: SelfCheckMode;
  readonly pluginDir?: readonly string[];
  readonly logFormat: 'text' | 'json';
  readonly metricsListen?: string;
}

/**
 * `zoneproof run`: until a signal comes, or with `--once` until nothing gets on any more; then 0 when every
 * certificate and issuer is Ready, else 1. 2 when a manifest is broken: then nothing was sent anywhere.
 */
export async function run(paths: readonly string[], options: RunOptions, context: CommandContext): Promise<number> {
  const resolvers = resolversOf(options.dns01SelfCheckNameservers);
  return runOn(
    {
      paths,
      stateDir: options.state,
      ...(options.secrets !== undefined && { secretsDir: options.secrets }),
      registry: await openRegistry(context, options.pluginDir),
      resolvers,
      selfCheckMode: options.dns01SelfCheckMode,
    },
    options,
    context,
  );
}

/** The same with the servers that the self check starts from handed in. */
export async function runOn(
  options: Omit<StandaloneOptions, 'report' | 'observer'>,
  { once, logFormat, metricsListen }: Pick<RunOptions, 'once' | 'logFormat' | 'metricsListen'>,
  context: CommandContext,
): Promise<number> {
  const monitoring = metricsListen === undefined ? undefined : await startMonitoring(metricsListen, context);
  const stopping = untilStopped(context.inputs.signal);
  const display = counted(createProgressDisplay(context, logFormat), monitoring);
  let standalone: Standalone | undefined;
  let watching: { close(): void } | undefined;
  try {
    if (monitoring !== undefined) tell(display, context, 'info', 'Listening', monitoring.told);
    const started = await startStandalone(
      { ...options, report: display.report, ...(monitoring && { observer: monitoring.metrics.observer }) },
      context,
    );
    standalone = started;
    monitoring?.follow(started);
    monitoring?.metrics.manifestsReloaded(true);
    monitoring?.ready();
    for (const problem of started.problems) context.err.write(`${showProblem(problem)}\n`);
    const { store, controller } = started;
    display.follow(store);
    if (once) {
      await Promise.race([controller.settled(), aborted(stopping.signal)]);
    } else {
      watching = await watchFiles(options, () => reload(started, display, context, monitoring));
      tell(
        display,
        context,
        'info',
        'Started',
        `${count(store.list('Certificate').length, 'certificate')} looked after.`,
      );
      await aborted(stopping.signal);
    }
    if (stopping.signal.aborted)
      tell(display, context, 'info', 'Stopping', 'Work under way is put down; it goes on at the next start.');
    watching?.close();
    display.close();
    if (logFormat === 'text' && once) context.out.write(showOutcome(store, options.stateDir, context.style));
    return once ? exitCode(store) : 0;
  } catch (error) {
    display.close();
    if (!(error instanceof ManifestsError)) throw error;
    for (const problem of error.problems) context.err.write(`${showProblem(problem)}\n`);
    const errors = error.problems.filter(({ severity }) => severity === 'error').length;
    context.err.write(`zoneproof: ${count(errors, 'error')} in the manifests; nothing was sent anywhere.\n`);
    return 2;
  } finally {
    watching?.close();
    await standalone?.stop();
    await monitoring?.close();
    stopping.release();
  }
}

/** Lines of the log are counted, those of the process itself too. */
function counted(display: ProgressDisplay, monitoring: Monitoring | undefined): ProgressDisplay {
  if (monitoring === undefined) return display;
  const report: ProgressDisplay['report'] = (line) => {
    monitoring.metrics.observer.logLine(line);
    display.report(line);
  };
  return { ...display, report };
}

/** False when the manifests are good and could not be put to use: worth another try without a change. */
async function reload(
  standalone: Standalone,
  display: ProgressDisplay,
  context: CommandContext,
  monitoring: Monitoring | undefined,
): Promise<boolean> {
  let problems: readonly ManifestProblem[];
  try {
    problems = await standalone.reload();
  } catch (error) {
    const why = describeDiskError(error) ?? (error instanceof Error ? error.message : String(error));
    const message = `The manifests could not be stored: ${why}. Trying again every few seconds.`;
    tell(display, context, 'error', 'ManifestsNotStored', message);
    monitoring?.metrics.manifestsReloaded(false);
    return false;
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  monitoring?.metrics.manifestsReloaded(errors.length === 0);
  for (const problem of problems)
    tell(display, context, problem.severity === 'error' ? 'error' : 'warn', 'ManifestsBroken', showProblem(problem));
  if (errors.length > 0)
    tell(
      display,
      context,
      'error',
      'ManifestsBroken',
      `${count(errors.length, 'error')}: the last good manifests stay in use.`,
    );
  else
    tell(
      display,
      context,
      'info',
      'Reloaded',
      `${count(standalone.store.list('Certificate').length, 'certificate')} looked after.`,
    );
  return true;
}

function tell(
  display: ProgressDisplay,
  { clock }: CommandContext,
  level: 'info' | 'warn' | 'error',
  reason: ProcessReport['reason'],
  message: string,
): void {
  display.report({ at: clock.now(), level, reason, message });
}

function exitCode(store: Store): number {
  const objects = [...store.list('Certificate'), ...store.list('Issuer'), ...store.list('ClusterIssuer')];
  return objects.every(({ status }) => readyCondition(status)?.status === 'True') ? 0 : 1;
}
