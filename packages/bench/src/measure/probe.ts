/**
 * Loaded into a measured process with `--import`, for what the kernel cannot tell: the turns of its event loop, and the
 * bytes that its code allocates. It waits at the Unix socket that its own address names, and costs nothing until asked.
 *
 * Each connection sends one word: `turns` answers how many turns the loop had; `allocate` begins to sample allocations;
 * `allocated` ends that, and answers the bytes; `count` begins to count what is created; `timers`, `immediates` and
 * `promises` answer how many.
 */
import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { connect, createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** The mean number of bytes between two samples. */
const samplingInterval = 16 * 1024

interface SampledNode {
  readonly selfSize: number
  readonly children: readonly SampledNode[]
}

/** Connected only while it samples: a connected session slows the process by a tenth. */
const session = new Session()

const created = { timers: 0, immediates: 0, promises: 0 }
const counting = createHook({
  init(_id, type) {
    if (type === 'PROMISE') created.promises++
    else if (type === 'Timeout') created.timers++
    else if (type === 'Immediate') created.immediates++
  }
})

async function answer(word: string): Promise<number> {
  switch (word) {
    case 'turns':
      return performance.nodeTiming.uvMetricsInfo.loopCount
    case 'count':
      counting.enable()
      return 0
    case 'timers':
    case 'immediates':
    case 'promises':
      return created[word]
    case 'allocate':
      session.connect()
      await session.post('HeapProfiler.startSampling', {
        samplingInterval,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true
      } as object)
      return 0
    case 'allocated': {
      const { profile } = (await session.post('HeapProfiler.stopSampling')) as { profile: { head: SampledNode } }
      session.disconnect()
      return bytesOf(profile.head)
    }
    default:
      throw new Error(`the probe does not know "${word}"`)
  }
}

const bytesOf = ({ selfSize, children }: SampledNode): number =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize)

const path = new URL(import.meta.url).searchParams.get('socket')
// Worker threads load it, too.
if (path !== null && isMainThread) {
  // Left by the process before.
  rmSync(path, { force: true })
  createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (word) => {
      answer(word.toString()).then(
        (value) => socket.end(String(value)),
        (error: unknown) => socket.destroy(error as Error)
      )
    })
  })
    .listen(path)
    .unref()
}

/** What a probe understands: see above. */
type Word = 'turns' | 'allocate' | 'allocated' | 'count' | 'timers' | 'immediates' | 'promises'

/** The flags of a Node process with a probe at a Unix socket. */
export function probeFlags(socketPath: string): string[] {
  const probe = new URL(import.meta.url)
  probe.searchParams.set('socket', socketPath)
  return ['--import', probe.href]
}

/** Asks the probe of a measured process. @returns its answer. Throws if the process has no probe */
export async function askProbe(socketPath: string, word: Word): Promise<number> {
  const socket = connect(socketPath)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  socket.write(word)
  await once(socket, 'close')
  if (answer === '') throw new Error(`the probe did not answer to "${word}"`)
  return Number(answer)
}
