import { createServer } from 'node:net'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { EmbeddedPart, Variables } from './embedded.ts'
import { SystemError } from './system-error.ts'

/** The default port of each server, by its variable. */
export const defaultPorts = {
  CONTROL_PORT: 3000,
  CONTROL_ADMIN_PORT: 9091,
  GATEWAY_PORT: 8080,
  GATEWAY_ADMIN_PORT: 9090,
  SANDBOX_IDENTITY_PORT: 4021,
  SANDBOX_MAILBOX_PORT: 4024,
  SANDBOX_SMTP_PORT: 4026,
  SANDBOX_PAYMENTS_PORT: 4025,
  SANDBOX_MODELS_PORT: 4010,
  SANDBOX_REDIS_PORT: 6390
} as const

export type PortVariable = keyof typeof defaultPorts
export type Ports = Readonly<Record<PortVariable, number>>

/** The ports of each embedded part. */
const portsOf: Readonly<Record<EmbeddedPart, readonly PortVariable[]>> = {
  identity: ['SANDBOX_IDENTITY_PORT', 'SANDBOX_MAILBOX_PORT', 'SANDBOX_SMTP_PORT'],
  payments: ['SANDBOX_PAYMENTS_PORT'],
  postgres: [],
  redis: ['SANDBOX_REDIS_PORT'],
  models: ['SANDBOX_MODELS_PORT']
}

/** Chooses a different free port for every server. */
export async function choosePorts(): Promise<Ports> {
  const ports: Record<PortVariable, number> = { ...defaultPorts }
  for (const variable of Object.keys(ports) as PortVariable[]) ports[variable] = await freePort()
  return ports
}

/** Chooses a free port outside `taken`, and adds it to `taken`. */
export async function anotherFreePort(taken: Set<number>): Promise<number> {
  let port = await freePort()
  while (taken.has(port)) port = await freePort()
  taken.add(port)
  return port
}

/** The ports that the system will use. */
export function neededPorts(ports: Ports, embedded: ReadonlySet<EmbeddedPart>): Array<[PortVariable, number]> {
  const variables: PortVariable[] = ['CONTROL_PORT', 'CONTROL_ADMIN_PORT', 'GATEWAY_PORT', 'GATEWAY_ADMIN_PORT']
  for (const part of embedded) variables.push(...portsOf[part])
  return variables.map((variable) => [variable, ports[variable]])
}

/**
 * Checks that the ports are free on this machine's loopback addresses.
 *
 * @throws SystemError naming every port that is taken or used twice, with its variable
 */
export async function checkPorts(needed: ReadonlyArray<readonly [PortVariable, number]>): Promise<void> {
  const problems: string[] = []
  const byPort = new Map<number, PortVariable>()
  let faulty: PortVariable | null = null
  for (const [variable, port] of needed) {
    const [other, before] = [byPort.get(port), problems.length]
    if (other !== undefined) problems.push(`Port ${port} is set twice: by ${other} and by ${variable}.`)
    else if (await isTaken(port)) problems.push(`Port ${port} (${variable}) is in use by another program.`)
    if (problems.length > before) faulty ??= variable
    byPort.set(port, variable)
  }
  if (faulty === null) return
  const example = `${faulty}=${Math.max(...byPort.keys()) + 1}`
  throw new SystemError(
    `${problems.join('\n')}\nStop the programs that use them, or set other ports in the environment or in .env, such as: ${example} npm start`
  )
}

/** `localhost` may mean either address, so another program must not listen on the second. */
async function isTaken(port: number): Promise<boolean> {
  return (await isAddressTaken(port, '127.0.0.1')) || (await isAddressTaken(port, '::1'))
}

function isAddressTaken(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(true)
      // This machine has no IPv6.
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(false)
      else reject(new SystemError(`Port ${port} cannot be used: ${error.message}.`, { cause: error }))
    })
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(false)))
  })
}

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
  const urlOf = (name: string) => (env[name] ?? '').replace(/\/+$/, '')
  return {
    control: urlOf('PUBLIC_URL') || named(ports.CONTROL_PORT),
    controls: controlPorts.map(({ port }) => local(port)),
    controlAdmins: controlPorts.map(({ adminPort }) => local(adminPort)),
    gateway: urlOf('GATEWAY_PUBLIC_URL') || named(ports.GATEWAY_PORT),
    gateways: gatewayPorts.map(({ port }) => local(port)),
    gatewayAdmins: gatewayPorts.map(({ adminPort }) => local(adminPort)),
    identity: embedded.has('identity') ? local(ports.SANDBOX_IDENTITY_PORT) : urlOf('SUPABASE_URL'),
    mailbox: embedded.has('identity') ? named(ports.SANDBOX_MAILBOX_PORT) : null,
    payments: embedded.has('payments') ? local(ports.SANDBOX_PAYMENTS_PORT) : null,
    models: embedded.has('models') ? local(ports.SANDBOX_MODELS_PORT) : null,
    redis: embedded.has('redis') ? `redis://127.0.0.1:${ports.SANDBOX_REDIS_PORT}` : (env.REDIS_URL ?? ''),
    database: embedded.has('postgres') ? `pglite:${dataDir}/postgres` : (env.DATABASE_URL ?? '')
  }
}
