import type { EmbeddedPart, Variables } from './embedded.ts'
import type { Ports } from './ports.ts'

/** The addresses of the parts of a system, without a final slash. */
export interface Addresses {
  /** The URL for people and browsers; `/api/…` is below it. */
  readonly control: string
  /** The URL of each control process, including the first. */
  readonly controls: readonly string[]
  readonly controlAdmins: readonly string[]
  /** The URL for clients; `/v1/…` is below it. */
  readonly gateway: string
  /** The URL of each gateway process, including the first. */
  readonly gateways: readonly string[]
  readonly gatewayAdmins: readonly string[]
  readonly identity: string
  /** null with a real identity provider, which sends real mails. */
  readonly mailbox: string | null
  /** The embedded payments server with its checkout pages; null with a real payment provider. */
  readonly payments: string | null
  /** null with real upstreams. */
  readonly models: string | null
  readonly redis: string
  /** May hold a password. */
  readonly database: string
}

/** The ports of one process of a service. */
export interface ProcessPorts {
  readonly port: number
  readonly adminPort: number
}

/** The ports of the processes that can run several times. */
export interface ServicePorts {
  readonly controlPorts: readonly ProcessPorts[]
  readonly gatewayPorts: readonly ProcessPorts[]
}

export function findAddresses(
  env: Variables,
  embedded: ReadonlySet<EmbeddedPart>,
  ports: Ports,
  { controlPorts, gatewayPorts }: ServicePorts,
  dataDir: string
): Addresses {
  const local = (port: number) => `http://127.0.0.1:${port}`
  const named = (port: number) => `http://localhost:${port}`
  const given = (name: string) => (env[name] ?? '').replace(/\/+$/, '')
  return {
    control: given('PUBLIC_URL') || named(ports.CONTROL_PORT),
    controls: controlPorts.map(({ port }) => local(port)),
    controlAdmins: controlPorts.map(({ adminPort }) => local(adminPort)),
    gateway: given('GATEWAY_PUBLIC_URL') || named(ports.GATEWAY_PORT),
    gateways: gatewayPorts.map(({ port }) => local(port)),
    gatewayAdmins: gatewayPorts.map(({ adminPort }) => local(adminPort)),
    identity: embedded.has('identity') ? local(ports.SANDBOX_IDENTITY_PORT) : given('SUPABASE_URL'),
    mailbox: embedded.has('identity') ? named(ports.SANDBOX_MAILBOX_PORT) : null,
    payments: embedded.has('payments') ? local(ports.SANDBOX_PAYMENTS_PORT) : null,
    models: embedded.has('models') ? local(ports.SANDBOX_MODELS_PORT) : null,
    redis: embedded.has('redis') ? `redis://127.0.0.1:${ports.SANDBOX_REDIS_PORT}` : (env.REDIS_URL ?? ''),
    database: embedded.has('postgres') ? `pglite:${dataDir}/postgres` : (env.DATABASE_URL ?? '')
  }
}
