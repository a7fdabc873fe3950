import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * A connection to the inspector of a Node process that was started with `--inspect`, over the Chrome DevTools Protocol
 * (https://chromedevtools.github.io/devtools-protocol/v8/). It reads figures of V8 without our code in the process.
 */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', (event) => {
      const reply = JSON.parse(String(event.data)) as Reply
      if (reply.id === undefined) return
      this.#waiting.get(reply.id)?.(reply)
      this.#waiting.delete(reply.id)
    })
    socket.addEventListener('close', () => {
      for (const answer of this.#waiting.values()) answer({ error: { message: 'the process has ended' } })
    })
  }

  /** Connects to the inspector on a port of 127.0.0.1. Waits up to 20 s for it. */
  static async connect(port: number): Promise<Inspector> {
    const deadline = performance.now() + 20_000
    for (;;) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
        const [target] = (await answer.json()) as Array<{ webSocketDebuggerUrl: string }>
        if (target === undefined) throw new Error('the inspector has no target')
        const socket = new WebSocket(target.webSocketDebuggerUrl)
        await once(socket, 'open')
        return new Inspector(socket)
      } catch (error) {
        if (performance.now() > deadline) throw error
        await delay(50)
      }
    }
  }

  /** Collects all garbage, then reads the heap's size. */
  async heapAfterCollection(): Promise<HeapUse> {
    await this.#call('HeapProfiler.collectGarbage')
    const usage = (await this.#call('Runtime.getHeapUsage')) as { usedSize: number; backingStorageSize: number }
    return { usedBytes: usage.usedSize, bufferBytes: usage.backingStorageSize }
  }

  /** Starts to sample the call stack, every `intervalMicros`. */
  async startProfile(intervalMicros: number): Promise<void> {
    await this.#call('Profiler.enable')
    await this.#call('Profiler.setSamplingInterval', { interval: intervalMicros })
    await this.#call('Profiler.start')
  }

  async stopProfile(): Promise<CpuProfile> {
    const { profile } = (await this.#call('Profiler.stop')) as { profile: CpuProfile }
    await this.#call('Profiler.disable')
    return profile
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(id, ({ result, error }) => {
      if (error === undefined) resolve(result)
      else reject(new Error(`${method}: ${error.message}`))
    })
    this.#socket.send(JSON.stringify({ id, method, params }))
    return promise
  }
}

/** A CPU profile of V8 (`Profiler.Profile` of the DevTools Protocol), with the members that we read. */
export interface CpuProfile {
  nodes: Array<{ id: number; callFrame: { functionName: string; url: string; lineNumber: number } }>
  /** The id of the node on top of the stack, for each sampling interval. */
  samples: number[]
}

/** The share of a function or package in the busy time of a process, from 0 to 1. */
export interface SelfTime {
  /** The function with its file and line, or the package. */
  name: string
  share: number
}

/** The busy time of a profile by function and by package, largest first. Idle time is left out. */
export interface ProfileSummary {
  functions: SelfTime[]
  packages: SelfTime[]
  /** The number of samples that are not idle. */
  busySamples: number
}

/**
 * Adds up the self time of each function and each package, over all callers.
 *
 * Every sample counts the same. A profile also has the times between samples, but these include the time in which
 * another program used the core.
 */
export function summarizeProfile(profile: CpuProfile): ProfileSummary {
  const counts = new Map<number, number>()
  for (const node of profile.samples) counts.set(node, (counts.get(node) ?? 0) + 1)
  const functions = new Map<string, number>()
  const packages = new Map<string, number>()
  let busySamples = 0
  for (const { id, callFrame } of profile.nodes) {
    const count = counts.get(id) ?? 0
    if (count === 0 || callFrame.functionName === '(idle)') continue
    busySamples += count
    add(functions, functionName(callFrame), count)
    add(packages, packageName(callFrame), count)
  }
  return { functions: ranked(functions, busySamples), packages: ranked(packages, busySamples), busySamples }
}

type CallFrame = CpuProfile['nodes'][number]['callFrame']

function functionName({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  // V8 counts lines from 0. Functions of V8 and C++ have no file.
  return url === '' ? name : `${name} ${shortPath(url)}:${lineNumber + 1}`
}

function packageName({ functionName, url }: CallFrame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native functions)'
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/')
  const path = shortPath(url)
  const scoped = /^(@[^/]+\/[^/]+|[^/]+)\//.exec(path)?.[1] ?? path
  return url.includes('/node_modules/') ? scoped : path.split('/').slice(0, -1).join('/')
}

/** The path after the last `node_modules`, or else the last four parts of the path. */
function shortPath(url: string): string {
  if (url.startsWith('node:')) return url
  const marker = '/node_modules/'
  const at = url.lastIndexOf(marker)
  return at === -1 ? url.split('/').slice(-4).join('/') : url.slice(at + marker.length)
}

function add(totals: Map<string, number>, name: string, count: number): void {
  totals.set(name, (totals.get(name) ?? 0) + count)
}

function ranked(totals: Map<string, number>, all: number): SelfTime[] {
  return [...totals].map(([name, count]) => ({ name, share: count / all })).sort((a, b) => b.share - a.share)
}

/** Bytes of the JavaScript heap after a full garbage collection. */
interface HeapUse {
  /** Objects and strings. */
  usedBytes: number
  /** Memory of buffers, which is outside of the heap. */
  bufferBytes: number
}

interface Reply {
  id?: number
  result?: unknown
  error?: { message: string }
}
