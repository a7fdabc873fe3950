import { mkdir } from 'node:fs/promises'

/** What runs at a node: a server or a Sentinel. */
interface Running {
  readonly pid: number | null
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/** One server of several, which can be ended and started again at its port, with its files. */
export interface RedisNode {
  readonly port: number
  /** What it writes: `dump.rdb`, `nodes.conf`, `sentinel.conf`. */
  readonly directory: string
  /** Of the process that was started last. */
  pid(): number
  /** Sends a signal to its process: see `RunningRedis`. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it anew after it has ended. Without persistence it is empty then, unless there is a `dump.rdb`. */
  start(): Promise<void>
  /** Stops it in order. Repeating it does nothing. */
  stop(): Promise<void>
}

/** @param start starts its process, in `directory`, which exists */
export async function startNode(port: number, directory: string, start: () => Promise<Running>): Promise<RedisNode> {
  await mkdir(directory, { recursive: true })
  let running = await start()
  return {
    port,
    directory,
    pid: () => running.pid ?? 0,
    kill: (signal) => running.kill(signal),
    async start() {
      running = await start()
    },
    stop: () => running.stop()
  }
}
