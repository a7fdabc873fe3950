import type { TraceSettings } from './trace-settings.ts'
import type { Tracing } from './tracing.ts'

/** What a process that traces says of itself. */
export interface TracedProcess {
  /** `service.name`, if `OTEL_SERVICE_NAME` gives no other. */
  readonly name: string
  readonly version: string
  /** Called at most once a minute if spans could not be sent. @param dropped since the last call */
  readonly onDropped: (dropped: number) => void
}

/** Loads OpenTelemetry, if the settings ask for traces. @returns null if they do not */
export async function openTracing(settings: TraceSettings | null, process: TracedProcess): Promise<Tracing | null> {
  if (settings === null) return null
  const { createTracing } = await import('./otel-tracing.ts')
  return createTracing(settings, process)
}
