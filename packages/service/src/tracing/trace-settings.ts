import { type Static, Type } from 'typebox'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

const Protocol = Type.Enum(['http/protobuf'], {
  default: 'http/protobuf',
  must: 'http/protobuf: Tollgate sends traces in no other form'
})

/**
 * OpenTelemetry's own variables, as far as they are checked here. Its exporter itself also reads `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`,
 * `_COMPRESSION`, `_CERTIFICATE`, `_CLIENT_CERTIFICATE` and `_CLIENT_KEY`, and their forms with `TRACES_`.
 */
export const traceVariables = {
  /** Base URL of the collector. Without it there are no traces, and OpenTelemetry's SDK is not loaded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({ default: '' }),
  /** The whole URL, instead of the base URL. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.String({ default: '' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: Protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: Protocol,
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({ default: '' }),
  OTEL_SERVICE_NAME: Type.String({ default: '' }),
  OTEL_RESOURCE_ATTRIBUTES: Type.String({ default: '' }),
  OTEL_TRACES_SAMPLER: Type.Enum([...samplers], { default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
  OTEL_TRACES_EXPORTER: Type.Enum(['otlp', 'none'], { default: 'otlp' }),
  OTEL_SDK_DISABLED: Type.Enum(['true', 'false'], { default: 'false' })
}

const TraceVariables = Type.Object(traceVariables)
export type TraceVariables = Static<typeof TraceVariables>

/** Where traces go, and which of them. */
export interface TraceSettings {
  readonly url: string
  readonly sampler: (typeof samplers)[number]
  /** Share of the traces that begin here, 0 to 1; for the samplers with `traceidratio`. */
  readonly ratio: number
  /** How long ended spans wait for others, ms. Default: 1 s. */
  readonly delayMs?: number
  /** How long the collector has for a batch, ms. Default: 15 s. */
  readonly batchTimeoutMs?: number
}

/** A rule for `loadConfig`. */
export function checkTraces(variables: TraceVariables): string | null {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const) {
    const url = variables[name]
    if (url !== '' && !(/^https?:[/][/]/.test(url) && URL.canParse(url))) {
      return `${name}: must be an http:// or https:// URL, such as http://localhost:4318`
    }
  }
  return null
}

/** @returns null if no traces are to be sent */
export function readTraces(variables: TraceVariables): TraceSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = variables
  const isOff = variables.OTEL_SDK_DISABLED === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (isOff || (base === '' && whole === '')) return null
  return {
    url: whole !== '' ? whole : `${base.replace(/[/]+$/, '')}/v1/traces`,
    sampler: variables.OTEL_TRACES_SAMPLER,
    ratio: variables.OTEL_TRACES_SAMPLER_ARG
  }
}
