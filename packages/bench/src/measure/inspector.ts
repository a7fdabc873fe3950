import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { CpuProfile } from './profile.ts'

/** Bytes of the JavaScript heap after a full garbage collection. */
export interface HeapUse {
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
