import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import type { LoadCommand, LoadResults, RequestPlan, Window } from './load/protocol.ts'
import { chatRequest } from './load/requests.ts'
import type { Cores } from './measure/cores.ts'
import { Patience } from './measure/patience.ts'
import type { CpuProfile } from './measure/profile.ts'
import type { Child, Children } from './processes/children.ts'
import { callChild } from './processes/commands.ts'
import { type Side, startSide } from './side.ts'
import { bare } from './targets/proxies.ts'
import type { Target } from './targets/target.ts'
import { eventsOf, type StreamShape } from './upstream/answers.ts'
import type { UpstreamCommand } from './upstream/main.ts'

/** How long and how often things are measured. */
export interface Timing {
  /** Full load before the first figure is taken, for each side and each kind of request. */
  warmUpMs: number
  /** Load before each measured window, in which connections are opened. */
  rampMs: number
  windowMs: number
  /** How often both sides are started anew, with a warm-up each: V8 compiles every process differently. */
  pairs: number
  /** Rounds of all pairs together. */
  rounds: number
  pacedRounds: number
  latencyRounds: number
  memoryRounds: number
  /** How long streams are held before memory is read. */
  holdMs: number
  /** How many keys control's database has, in the order of measuring. */
  keys: readonly number[]
  /** How many accounts the gateway's Redis has where metering is measured, each with one key. */
  accounts: readonly number[]
  soakMs: number
  /** How many requests Redis is given to see what stays of them. */
  redisRequests: number
}

/**
 * Many short rounds rather than a few long ones: machines slow down for seconds at a time (virtual ones above all), and
 * only what meets both sides of a round alike falls out of its ratio.
 */
export const fullTiming: Timing = {
  warmUpMs: 6000,
  rampMs: 400,
  windowMs: 1000,
  pairs: 4,
  rounds: 16,
  pacedRounds: 12,
  latencyRounds: 3,
  memoryRounds: 2,
  holdMs: 6000,
  keys: [1_000, 1_000_000],
  accounts: [1, 1_000, 100_000],
  soakMs: 600_000,
  redisRequests: 1_000_000
}

/** One long round of everything: enough samples, and figures of a profiled process are not comparable anyway. */
export const profileTiming: Timing = {
  ...fullTiming,
  windowMs: 4000,
  pairs: 1,
  rounds: 1,
  pacedRounds: 1,
  latencyRounds: 1,
  accounts: [1]
}

/** Shows that everything works; its figures mean nothing. */
export const quickTiming: Timing = {
  warmUpMs: 300,
  rampMs: 200,
  windowMs: 300,
  pairs: 1,
  rounds: 1,
  pacedRounds: 1,
  latencyRounds: 1,
  memoryRounds: 1,
  holdMs: 1000,
  keys: [200, 2000],
  accounts: [20],
  soakMs: 3000,
  redisRequests: 10_000
}

const profileIntervalMicros = 200

export interface BenchOptions {
  target: Target
  children: Children
  cores: Cores | null
  timing: Timing
  profile: boolean
  /** How long the run may wait for the machine to be quiet, in all. */
  patienceMs: number
  /** Told what is going on, for people who wait. */
  progress(line: string): void
}

export interface WindowOptions {
  connections: number
  /** Time over which the connections are opened; at once unless given. */
  openMs?: number
  /** Whether requests in flight may end before the connections are closed. */
  drain: boolean
  /** Under which name a profile is kept, if the side can be inspected. */
  profileAs: string
}

/** Everything that the parts of a run share: upstream, load generator, and the two sides. */
export class Bench {
  readonly timing: Timing
  readonly profile: boolean
  readonly targetName: string
  readonly progress: (line: string) => void
  readonly patience: Patience
  readonly children: Children
  /** Profiles of the target by what it did, of the first window of each kind. */
  readonly profiles: Map<string, CpuProfile>
  /** Kinds of request that both sides have been warmed up with. */
  readonly warm = new Set<string>()
  readonly #options: BenchOptions
  readonly #upstream: Child
  readonly #upstreamPort: number
  readonly #load: Child
  #sides: Promise<{ bare: Side; target: Side }> | null = null
  #pairs = 0

  private constructor(
    options: BenchOptions,
    upstream: Child,
    upstreamPort: number,
    load: Child,
    shared: Pick<Bench, 'patience' | 'profiles'>
  ) {
    this.timing = options.timing
    this.profile = options.profile
    this.targetName = options.target.name
    this.progress = options.progress
    this.patience = shared.patience
    this.profiles = shared.profiles
    this.children = options.children
    this.#options = options
    this.#upstream = upstream
    this.#upstreamPort = upstreamPort
    this.#load = load
  }

  /** Starts the upstream and the load generator. */
  static async start(options: BenchOptions): Promise<Bench> {
    const start = (name: string, file: string) =>
      options.children.startNode({
        name,
        file: fileURLToPath(new URL(file, import.meta.url)),
        core: null,
        servesCommands: true
      })
    const upstream = start('upstream', './upstream/main.ts')
    const load = start('load', './load/main.ts')
    const port = await freePort()
    await callChild<UpstreamCommand>(upstream.process, { kind: 'listen', port })
    return new Bench(options, upstream, port, load, {
      patience: new Patience(options.patienceMs),
      profiles: new Map()
    })
  }

  /** The same upstream, load generator, profiles and patience, for another target: with sides of its own. */
  withTarget(target: Target): Bench {
    return new Bench({ ...this.#options, target }, this.#upstream, this.#upstreamPort, this.#load, this)
  }

  /** The two sides, started at the first call. With `profile`, the target can be inspected. */
  sides(): Promise<{ bare: Side; target: Side }> {
    this.#sides ??= this.#startSides()
    return this.#sides
  }

  /** Which side comes first with the present pair, in being started and warmed up: each in turn. */
  get order(): ReadonlyArray<'target' | 'bare'> {
    return this.#pairs % 2 === 1 ? ['target', 'bare'] : ['bare', 'target']
  }

  /** Ends both sides; the next that are asked for are new processes, and cold. */
  async endSides(): Promise<void> {
    if (this.#sides === null) return
    const { bare, target } = await this.#sides
    await Promise.all([bare.stop(), target.stop()])
    this.warm.clear()
    this.#sides = null
  }

  async #startSides(): Promise<{ bare: Side; target: Side }> {
    this.#pairs++
    const started: Partial<Record<'bare' | 'target', Side>> = {}
    for (const name of this.order) {
      started[name] =
        name === 'target' ? await this.startTarget({ inspect: this.profile }) : await this.startBare({ inspect: false })
    }
    return { bare: started.bare!, target: started.target! }
  }

  startTarget(options: { inspect: boolean }): Promise<Side> {
    return this.#start(this.#options.target, options)
  }

  startBare(options: { inspect: boolean }): Promise<Side> {
    return this.#start(bare, options)
  }

  /** A request to the upstream itself, without a proxy. */
  directPlan(shape: StreamShape | null): RequestPlan {
    const port = this.#upstreamPort
    return {
      port,
      text: chatRequest({ port, model: 'bench-model', apiKey: 'sk-bench', stream: shape !== null }),
      events: shape === null ? 0 : eventsOf(shape)
    }
  }

  /** Starts another program to measure, where the sides run when it is their turn. */
  startMeasured(name: string, file: string, env: Record<string, string>, nodeFlags: readonly string[] = []): Child {
    const core = this.#options.cores?.measured ?? null
    return this.children.startNode({ name, file, env, nodeFlags, core, servesCommands: false })
  }

  async setStreamShape(shape: StreamShape): Promise<void> {
    await callChild<UpstreamCommand>(this.#upstream.process, { kind: 'shape', shape })
  }

  async load<Kind extends LoadCommand['kind']>(
    command: Extract<LoadCommand, { kind: Kind }>
  ): Promise<LoadResults[Kind]> {
    return (await callChild(this.#load.process, command)) as LoadResults[Kind]
  }

  /** Opens connections, lets them run for the ramp, and measures one window. */
  async measureWindow(
    side: Pick<Side, 'child' | 'helpers' | 'redisUrl' | 'inspector'>,
    plan: RequestPlan,
    options: WindowOptions
  ): Promise<Window> {
    const { rampMs, windowMs } = this.timing
    await this.load({ kind: 'open', plan, connections: options.connections, overMs: options.openMs ?? 0 })
    await this.load({ kind: 'measure', forMs: rampMs, watch: {} })
    const watch = { ...side.helpers, measured: side.child.pid, upstream: this.#upstream.pid, load: this.#load.pid }
    const inspector = this.profiles.has(options.profileAs) ? null : side.inspector
    await inspector?.startProfile(profileIntervalMicros)
    const window = await this.load({ kind: 'measure', forMs: windowMs, watch, redisUrl: side.redisUrl })
    if (inspector !== null) this.profiles.set(options.profileAs, await inspector.stopProfile())
    await this.load({ kind: 'close', drain: options.drain })
    // Streams that were cut off are cleared away before the next side is measured on the same core.
    if (!options.drain) await delay(rampMs)
    return window
  }

  #start(target: Target, options: { inspect: boolean }): Promise<Side> {
    const { children, cores } = this.#options
    const core = cores?.measured ?? null
    return startSide(target, { children, upstreamPort: this.#upstreamPort, core, nodeFlags: [] }, options)
  }
}
