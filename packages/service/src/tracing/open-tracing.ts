import type { TracedProcess, TraceSettings, Tracing } from './tracing.ts'

/** Loads OpenTelemetry, if the settings ask for traces. @returns null if they do not */
export async function openTracing(settings: TraceSettings | null, process: TracedProcess): Promise<Tracing | null> {
  if (settings === null) return null
  const { createTracing } = await import('./otel-tracing.ts')
  return createTracing(settings, process)
}
