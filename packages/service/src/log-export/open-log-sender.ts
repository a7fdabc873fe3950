import type { ProcessIdentity } from '../tracing/process-resource.ts'
import type { LogExportSettings, LogSender } from './log-sender.ts'

/** Loads OpenTelemetry, if the settings ask for the export. @returns null if they do not */
export async function openLogSender(
  settings: LogExportSettings | null,
  process: ProcessIdentity
): Promise<LogSender | null> {
  if (settings === null) return null
  const { createOtlpLogSender } = await import('./otlp-log-sender.ts')
  return createOtlpLogSender(settings, process)
}
