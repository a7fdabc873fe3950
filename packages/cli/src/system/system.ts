import { resolve } from 'node:path'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { claimDirectory, keepSecrets, makePrivate, type Secrets } from './data-directory.ts'
import { chooseEmbedded, type EmbeddedPart, type Variables } from './embedded.ts'
import { type Part, untilVerified } from './part.ts'
import { createParts, type Layers } from './parts.ts'
import {
  type Addresses,
  anotherFreePort,
  checkPorts,
  findAddresses,
  neededPorts,
  type Ports,
  type ProcessPorts
} from './ports.ts'
import { SystemError } from './system-error.ts'

/** A step that takes longer is announced, milliseconds. */
const defaultAnnouncedAfterMs = 2000

/** Enough for the slowest part, on a slow and busy machine with a new database. */
const defaultReadyTimeoutMs = 300_000
/** The person at the terminal then hears why they wait. */
const slowAfterMs = 60_000

export interface SystemOptions {
  /**
   * The variables that a person sets. They decide which parts are real (see `chooseEmbedded`). Every program of the
   * system gets them. Their `PATH` is searched for a Redis program.
   */
  readonly env: Variables
  readonly ports: Ports
  /** The directory of users, database, Redis data, secrets and logs. */
  readonly dataDir: string
  /** The number of gateway processes; 1 by default. The first uses the ports of `ports`, the others free ports. */
  readonly gateways?: number
  /** The number of control processes; 1 by default, more need a `DATABASE_URL`. The first uses the ports of `ports`. */
  readonly controls?: number
  /**
   * Further variables of one part, by its name. They override the variables of all parts. Asked at each start of the
   * part.
   */
  envOf?(part: string): Variables
  /** The program of a part, if it is not this release's. Asked at each start of the part. */
  scriptOf?(part: string): string | undefined
  /** How long a part may take until it is ready; 5 minutes by default. */
  readonly readyTimeoutMs?: number
  /** Aborts the start: all parts are stopped, and the start rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Called with messages for the person who starts the system. */
  onNotice?(text: string): void
  /** Called with the progress of a slow start. */
  onStep?(text: string): void
  /** Called with each line that a program logs after it is ready. The log files have all lines. */
  onLine?(part: string, line: string): void
  /** Called when a part ends unexpectedly. The others keep running. */
  onCrash?(part: string, how: string): void
}

/** A running system. */
export interface System {
  readonly addresses: Addresses
  readonly embedded: ReadonlySet<EmbeddedPart>
  /** The keys of the embedded identity and payments servers. */
  readonly secrets: Secrets
  readonly dataDir: string
  /**
   * All parts. Names: `redis`, `identity` (with the mailbox), `payments`, `models`; `control`, `control-2`, …;
   * `gateway`, …
   */
  readonly parts: ReadonlyMap<string, Part>
  /** @throws Error if the system has no such part */
  part(name: string): Part
  /** Passes SIGHUP on to every program. They read their files again, or ignore it. */
  hangUp(): Promise<void>
  /** Stops every part before the parts that it uses. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts control, gateways, and an embedded server for each part that no variable names. Builds the dashboard first, if
 * needed. Resolves when all parts are ready and control has verified Redis. If a port is taken, it starts nothing.
 *
 * If this process dies without `stop`, its programs stop on their own.
 *
 * @throws SystemError with the cause; all started parts are then stopped
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { env, ports } = options
  const dataDir = resolve(options.dataDir)
  chooseEmbedded(env)
  // The directory has secrets, users and mails, so only its owner may read it.
  // First: a second start in the same directory also finds its ports taken, which says less.
  const repaired = makePrivate(dataDir)
  const release = claimDirectory(dataDir, env.PUBLIC_URL || `http://localhost:${ports.CONTROL_PORT}`)
  try {
    return await startClaimed(options, dataDir, repaired, release)
  } catch (error) {
    release()
    throw error
  }
}

async function startClaimed(
  options: SystemOptions,
  dataDir: string,
  repaired: number,
  release: () => void
): Promise<System> {
  const { env, ports, signal, readyTimeoutMs = defaultReadyTimeoutMs } = options
  const step = createSteps(options.onStep)
  const embedded = chooseEmbedded(env)
  const needed = neededPorts(ports, embedded)
  await checkPorts(needed)
  const taken = new Set(needed.map(([, port]) => port))
  const { gateways = 1, controls = 1 } = options
  const { CONTROL_PORT, CONTROL_ADMIN_PORT, GATEWAY_PORT, GATEWAY_ADMIN_PORT } = ports
  const gatewayPorts = await portsOfAll(gateways, { port: GATEWAY_PORT, adminPort: GATEWAY_ADMIN_PORT }, taken)
  const controlPorts = await portsOfAll(controls, { port: CONTROL_PORT, adminPort: CONTROL_ADMIN_PORT }, taken)
  if (repaired > 0) {
    options.onNotice?.(`Other users of this machine had access to ${repaired} files in ${dataDir}. They no longer do.`)
  }
  const secrets = keepSecrets(dataDir)
  const addresses = findAddresses(env, embedded, ports, { controlPorts, gatewayPorts }, dataDir)
  await step('Building the dashboard', () =>
    ensureDashboard().catch((cause: Error) => {
      throw new SystemError(cause.message, { cause })
    })
  )
  // Programs inherit the umask, so all files that they write are private.
  process.umask(0o077)
  let isSlow = false
  const layers = createParts({
    ...options,
    readyTimeoutMs,
    slowAfterMs,
    onSlow(part) {
      if (!isSlow) options.onNotice?.(describeSlowness(part, readyTimeoutMs))
      isSlow = true
    },
    embedded,
    secrets,
    addresses,
    dataDir,
    controlPorts,
    gatewayPorts
  })
  try {
    // The services wait for each other. Without Redis they would only fill their logs with errors.
    const [redis = [], ...others] = layers
    if (redis.length > 0) await step('Starting Redis', () => startTogether(redis, signal))
    const names = others.flat().map(({ name }) => name)
    await step(`Starting ${names.join(', ')}`, () => startTogether(others.flat(), signal))
    await step('Restoring keys and spend in Redis', () => untilVerified(addresses.redis, readyTimeoutMs, signal))
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
    async hangUp() {
      const programs = [...parts.values()].filter(({ name, isRunning }) => isRunning && name !== 'redis')
      await Promise.all(programs.map((part) => part.kill('SIGHUP')))
    },
    async stop() {
      await stopInOrder(layers)
      release()
    }
  }
}

function describeSlowness(part: string, readyTimeoutMs: number): string {
  return `${part} is not ready after ${slowAfterMs / 1000} s. This machine may be slow or busy: Tollgate waits up to ${readyTimeoutMs / 60_000} minutes. Warnings in its log follow here.`
}

/** Starts parts in parallel. @throws the first error, after all of them have settled */
async function startTogether(parts: readonly Part[], signal: AbortSignal | undefined): Promise<void> {
  const failed = new AbortController()
  const stopSignal = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal])
  const starts = await Promise.allSettled(
    parts.map((part) =>
      part.start(stopSignal).catch((error: unknown) => {
        // If a start is already aborted, its first reason stays, so all starts reject with the first error.
        failed.abort(error)
        throw stopSignal.reason
      })
    )
  )
  for (const start of starts) if (start.status === 'rejected') throw start.reason
}

async function stopInOrder(layers: Layers): Promise<void> {
  for (const layer of layers.toReversed()) await Promise.all(layer.map((part) => part.stop()))
}

/** The given ports of the first process, and free ports for the others. */
async function portsOfAll(count: number, first: ProcessPorts, taken: Set<number>): Promise<ProcessPorts[]> {
  const chosen = [first]
  while (chosen.length < count) {
    chosen.push({ port: await anotherFreePort(taken), adminPort: await anotherFreePort(taken) })
  }
  return chosen
}

/**
 * Reports the slow steps of a start: each one when it has taken two seconds, and when it ends.
 *
 * @returns a function that runs a step
 */
export function createSteps(
  onStep: ((text: string) => void) | undefined,
  announcedAfterMs: number = defaultAnnouncedAfterMs
) {
  return async <Result>(what: string, run: () => Promise<Result>): Promise<Result> => {
    const beganAt = performance.now()
    let isAnnounced = false
    const timer = setTimeout(() => {
      isAnnounced = true
      onStep?.(`${what} …`)
    }, announcedAfterMs)
    try {
      const result = await run()
      const seconds = (performance.now() - beganAt) / 1000
      if (isAnnounced) onStep?.(`${what}: done in ${seconds.toFixed(1)} s.`)
      return result
    } finally {
      clearTimeout(timer)
    }
  }
}
