import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { type Child, type Children, callChild } from './children.ts'
import type { LoadCommand, LoadResults, RequestPlan, Window } from './load/protocol.ts'
import { benchRequest } from './load/requests.ts'
import { type Cores, Patience } from './measure/machine.ts'
import type { CpuProfile } from './measure/profile.ts'
import { type Side, startSide } from './side.ts'
import { bare, type Target } from './targets/proxies.ts'
import { eventsOf, type StreamShape } from './upstream/answers.ts'
import type { UpstreamCommand } from './upstream/run-upstream.ts'

/** The durations and repetitions of the measurements. */
export interface Timing {
  /** Full load before the first measurement, per side and kind of request. */
  warmUpMs: number
  /** Load before each window, while connections are opened. */
  rampMs: number
  windowMs: number
  /** How often both sides restart and warm up, because V8 compiles every process differently. */
  pairs: number
  /** Rounds of all pairs together. */
  rounds: number
  pacedRounds: number
  latencyRounds: number
  memoryRounds: number
  /** How long streams stay open before memory is read. */
  holdMs: number
  /** The numbers of keys in control's database, in order. */
  keys: readonly number[]
  /** The numbers of accounts, with one key each, in the part `metering`. */
  accounts: readonly number[]
  soakMs: number
  /** The number of requests in the log, in the part `request-log`. */
  loggedRequests: number
}

/**
 * Many short rounds instead of a few long ones: machines, above all virtual ones, slow down for seconds at a time. A
 * ratio cancels only slowdowns that affect both sides of a round.
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
  loggedRequests: 100_000_000
}

/** One long round: enough samples for a profile. Figures of a profiled process are not comparable. */
export const profileTiming: Timing = {
  ...fullTiming,
  windowMs: 4000,
  pairs: 1,
  rounds: 1,
  pacedRounds: 1,
  latencyRounds: 1,
  accounts: [1]
}

/** A short run that shows that everything works. Its figures mean nothing. */
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
  loggedRequests: 300_000
}

const profileIntervalMicros = 200

export interface BenchOptions {
  target: Target
  children: Children
  cores: Cores | null
  timing: Timing
  profile: boolean
  /** The total time that the run may wait for a quiet machine. */
  patienceMs: number
  /** Called with messages about the progress. */
  progress(line: string): void
}

export interface WindowOptions {
  connections: number
  /** The time over which connections are opened; at once by default. */
  openMs?: number
  /** Whether requests in flight may end before the connections are closed. */
  drain: boolean
  /** The name of the profile, if the side can be inspected. */
  profileAs: string
}

/** The upstream, the load generator and the two sides, which all parts of a run share. */
export class Bench {
  readonly timing: Timing
  readonly profile: boolean
  readonly targetName: string
  readonly progress: (line: string) => void
  readonly patience: Patience
  readonly children: Children
  /** Profiles of the target, one per name, from its first window. */
  readonly profiles: Map<string, CpuProfile>
  /** The kinds of request that have warmed up both sides. */
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
    const upstream = start('upstream', './upstream/run-upstream.ts')
    const load = start('load', './load/run-load.ts')
    const port = await freePort()
    await callChild<UpstreamCommand>(upstream.process, { kind: 'listen', port })
    return new Bench(options, upstream, port, load, {
      patience: new Patience(options.patienceMs),
      profiles: new Map()
    })
  }

  /** A bench for another target, with its own sides and the same upstream, load generator, profiles and patience. */
  withTarget(target: Target): Bench {
    return new Bench({ ...this.#options, target }, this.#upstream, this.#upstreamPort, this.#load, this)
  }

  /** The two sides, started by the first call. With `profile`, the target can be inspected. */
  sides(): Promise<{ bare: Side; target: Side }> {
    this.#sides ??= this.#startSides()
    return this.#sides
  }

  /** The order in which the sides of this pair start and warm up. It alternates. */
  get order(): ReadonlyArray<'target' | 'bare'> {
    return this.#pairs % 2 === 1 ? ['target', 'bare'] : ['bare', 'target']
  }

  /** Stops both sides. The next call of `sides` starts new, cold processes. */
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
      text: benchRequest({ api: 'chat', port, model: 'bench-model', apiKey: 'sk-bench', stream: shape !== null }),
      events: shape === null ? 0 : eventsOf(shape)
    }
  }

  /** Starts another measured program, on the core of the sides. */
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

  /** Opens connections, runs the ramp, and measures one window. */
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
    // The proxy cleans up aborted streams before the next side is measured on the same core.
    if (!options.drain) await delay(rampMs)
    return window
  }

  #start(target: Target, options: { inspect: boolean }): Promise<Side> {
    const { children, cores } = this.#options
    const core = cores?.measured ?? null
    return startSide(target, { children, upstreamPort: this.#upstreamPort, core, nodeFlags: [] }, options)
  }
}
