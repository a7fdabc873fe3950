import { resolve } from 'node:path'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { type Addresses, findAddresses } from './addresses.ts'
import { chooseEmbedded, type EmbeddedPart, type Variables } from './embedded.ts'
import type { Part } from './part.ts'
import { createParts, type Layers, readyLimitMs } from './parts.ts'
import { anotherFreePort, checkPorts, neededPorts, type Ports } from './ports.ts'
import { makePrivate } from './private-directory.ts'
import { keepSecrets, type Secrets } from './secrets.ts'
import { SystemError } from './system-error.ts'
import { untilVerified } from './until-verified.ts'

export interface SystemOptions {
  /**
   * The variables that a person sets. They say which parts are real (see `chooseEmbedded`), and every program of the
   * system gets them. A Redis program is looked for on its `PATH`.
   */
  readonly env: Variables
  readonly ports: Ports
  /** Keeps everything that outlives the system: users, database, Redis, secrets, logs. */
  readonly dataDir: string
  /** How many gateway processes, 1 by default. The first has the ports of `ports`, the others free ones. */
  readonly gateways?: number
  /** How many control processes, 1 by default: more need a `DATABASE_URL`. The first has the port of `ports`. */
  readonly controls?: number
  /** Further variables of one part, by its name; they win over those of all. For a part that is reached in its own way. */
  envOf?(part: string): Variables
  /** Ends the start: everything is stopped again, and the start rejects with its reason. */
  readonly signal?: AbortSignal
  /** Gets a line for the person who starts the system. */
  onNotice?(text: string): void
  /** Gets what the programs write once they are ready. All that they write is in their log files, too. */
  onLine?(part: string, line: string): void
  /** A part ended although nobody asked it to. The others run on. */
  onCrash?(part: string, how: string): void
}

/** A system that runs. */
export interface System {
  readonly addresses: Addresses
  readonly embedded: ReadonlySet<EmbeddedPart>
  /** The keys of the embedded servers for identity and payments. */
  readonly secrets: Secrets
  readonly dataDir: string
  /** `redis`, `identity` (with the mailbox), `payments` and `models`, if embedded; `control`, `control-2`, …; `gateway`, … */
  readonly parts: ReadonlyMap<string, Part>
  /** @throws Error when the system has no such part */
  part(name: string): Part
  /** Stops every part, those first that use others. Repeating it does nothing. */
  stop(): Promise<void>
}

/**
 * Starts control, gateways, and a stand-in for each thing that no variable names, and resolves when all are ready
 * and every key is judged. The dashboard is built first, unless it is built already. Nothing is started if a port is
 * taken.
 *
 * If this process dies without `stop`, its programs stop by themselves.
 *
 * @throws SystemError saying what is wrong; what had been started is stopped
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { env, ports, signal } = options
  const dataDir = resolve(options.dataDir)
  const embedded = chooseEmbedded(env)
  const needed = neededPorts(ports, embedded)
  await checkPorts(needed)
  const taken = new Set(needed.map(([, port]) => port))
  const gatewayPorts = await chooseGatewayPorts(options, taken)
  const controlPorts = await chooseControlPorts(options, taken)
  // It holds secrets, users and mails: nobody else may look in.
  const repaired = makePrivate(dataDir)
  if (repaired > 0) {
    options.onNotice?.(`Other users of this machine had access to ${repaired} files in ${dataDir}. They no longer do.`)
  }
  const secrets = keepSecrets(dataDir)
  const addresses = findAddresses(env, embedded, ports, { controlPorts, gatewayPorts }, dataDir)
  await ensureDashboard().catch((cause: Error) => {
    throw new SystemError(cause.message, { cause })
  })
  // Everything that the parts write from here on is private; they inherit this.
  process.umask(0o077)
  const layers = createParts({ ...options, embedded, secrets, addresses, dataDir, controlPorts, gatewayPorts })
  try {
    // The services wait for each other by themselves. Without Redis they would only fill their logs with that.
    const [redis = [], ...others] = layers
    await startTogether(redis, signal)
    await startTogether(others.flat(), signal)
    await untilVerified(addresses.redis, readyLimitMs, signal)
  } catch (error) {
    await stopInOrder(layers)
    throw error
  }
  const parts = new Map(layers.flat().map((part) => [part.name, part]))
  return {
    addresses,
    embedded,
    secrets,
    dataDir,
    parts,
    part(name) {
      const part = parts.get(name)
      if (part === undefined) throw new Error(`the system has no part ${name}; it has ${[...parts.keys()].join(', ')}`)
      return part
    },
    stop: () => stopInOrder(layers)
  }
}

/** @throws what the first of them that fails throws, once none of them is still starting */
async function startTogether(parts: readonly Part[], signal: AbortSignal | undefined): Promise<void> {
  const failed = new AbortController()
  const stopWaiting = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
  const starts = await Promise.allSettled(
    parts.map((part) =>
      part.start(stopWaiting).catch((error: unknown) => {
        // The abort's reason, unless it is already aborted: so all of them reject with what came first.
        failed.abort(error)
        throw stopWaiting.reason
      })
    )
  )
  for (const start of starts) if (start.status === 'rejected') throw start.reason
}

async function stopInOrder(layers: Layers): Promise<void> {
  for (const layer of layers.toReversed()) await Promise.all(layer.map((part) => part.stop()))
}

async function chooseGatewayPorts({ gateways = 1, ports }: SystemOptions, taken: Set<number>) {
  const chosen = [{ port: ports.GATEWAY_PORT, adminPort: ports.GATEWAY_ADMIN_PORT }]
  while (chosen.length < gateways) {
    chosen.push({ port: await anotherFreePort(taken), adminPort: await anotherFreePort(taken) })
  }
  return chosen
}

async function chooseControlPorts({ controls = 1, ports }: SystemOptions, taken: Set<number>): Promise<number[]> {
  const chosen: number[] = [ports.CONTROL_PORT]
  while (chosen.length < controls) chosen.push(await anotherFreePort(taken))
  return chosen
}
