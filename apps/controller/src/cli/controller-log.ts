import type { Report } from '../reconcile/services.ts';
import type { CommandContext } from './context.ts';
import type { Monitoring } from './monitoring.ts';
import { type ProcessReport, reportJson, reportText } from './output/report-line.ts';

/** One line for each thing that happens, on standard output; counted. */
export interface ControllerLog {
  report(line: Report | ProcessReport): void;
  tell(level: ProcessReport['level'], reason: ProcessReport['reason'], message: string): void;
}

export function createControllerLog(
  format: 'text' | 'json',
  monitoring: Monitoring,
  { out, style, clock }: CommandContext,
): ControllerLog {
  const report = (line: Report | ProcessReport): void => {
    monitoring.metrics.observer.logLine(line);
    out.write(format === 'json' ? reportJson(line) : reportText(line, style));
  };
  return { report, tell: (level, reason, message) => report({ at: clock.now(), level, reason, message }) };
}
