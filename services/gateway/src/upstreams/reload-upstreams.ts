import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Logger } from 'pino'
import { LiveUpstreams } from './live-upstreams.ts'
import type { Learned } from './upstreams.ts'
import { type ReadUpstreams, readUpstreamsFile } from './upstreams-file.ts'

/** The upstreams file of this process, and the files that it names. */
class UpstreamsSource {
  readonly #file: string
  readonly #env: Record<string, string | undefined>
  #files: ReadonlySet<string>

  /**
   * @param env the variables that the file names. They are those of the start: no variable of a running process changes
   */
  constructor(file: string, env: Record<string, string | undefined>) {
    this.#file = file
    this.#env = env
    this.#files = new Set([file])
  }

  /** All files on which the settings depend. After a failed read, also those of the last valid file. */
  get files(): ReadonlySet<string> {
    return this.#files
  }

  /** @throws FileError or ConfigError: see {@link readUpstreamsFile} */
  read(): ReadUpstreams {
    const named = new Set([this.#file])
    try {
      const upstreams = readUpstreamsFile(this.#file, this.#env, (file) => named.add(file))
      this.#files = named
      return upstreams
    } catch (error) {
      this.#files = new Set([...named, ...this.#files])
      throw error
    }
  }
}

/** How long files must stay the same before they are read: somebody may be writing them. */
const settleMs = 200

export interface UpstreamReloaderOptions {
  readonly source: Pick<UpstreamsSource, 'files'>
  readonly upstreams: Pick<LiveUpstreams, 'reload'>
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Milliseconds between two checks of the files. */
  readonly intervalMs: number
  /** Called after a reload that changed something. */
  readonly onReloaded: () => void
}

/** Reloads the upstreams when their files change, or on demand. */
interface UpstreamReloader {
  start(): void
  stop(): Promise<void>
  /** Reloads now. Never throws: invalid files are an error in the log, and the upstreams in force stay. */
  reload(): Promise<void>
}

function createUpstreamReloader(options: UpstreamReloaderOptions): UpstreamReloader {
  const { source, upstreams, log, intervalMs, onReloaded } = options
  /** Digest of the files of the last reload. null at first: the files may have changed since the start. */
  let lastDigest: string | null = null

  const loop = createBackgroundLoop({
    round: checkFiles,
    intervalMs,
    isFirstDelayed: true,
    log,
    messages: { failing: 'the upstreams file could not be checked for changes' }
  })

  async function checkFiles(): Promise<void> {
    const digest = await digestOf(source.files)
    if (digest === lastDigest) return
    await loop.pause(settleMs)
    if ((await digestOf(source.files)) !== digest) loop.wake()
    else apply(digest, false)
  }

  /** @param digest of the files before they are read, so that a later change is noticed */
  function apply(digest: string, isDemanded: boolean): void {
    lastDigest = digest
    try {
      const changes = upstreams.reload()
      const isChanged = Object.values(changes).some((names) => names.length > 0)
      if (isChanged) log.info(changes, 'upstreams reloaded')
      else if (isDemanded) log.info('upstreams reloaded: nothing has changed')
      if (isChanged) onReloaded()
    } catch (err) {
      log.error({ err }, 'the upstreams file is not valid. The upstreams in force stay. Correct the file to reload it')
    }
  }

  return {
    start: () => loop.start(),
    stop: () => loop.stop(),
    async reload() {
      apply(await digestOf(source.files), true)
    }
  }
}

/** One digest of the content of files. A file that cannot be read has its reason as content. */
async function digestOf(files: Iterable<string>): Promise<string> {
  const contents = await Promise.all(
    [...files].map(async (file) => {
      const content = await readFile(file).catch(({ code }: NodeJS.ErrnoException) => `cannot be read: ${code}`)
      return `${file} ${hash('sha256', content)}`
    })
  )
  return hash('sha256', contents.join('\n'))
}

/** How often the gateway checks whether the upstreams file has changed, ms. */
const defaultCheckMs = 10_000

/** Where the upstreams are read. */
interface FollowedUpstreams {
  readonly upstreamsFile: string
  /** Has the variables that the file names. */
  readonly env: Record<string, string | undefined>
  readonly upstreamCheckMs?: number
  /** Called with what calls of this process showed of an upstream. */
  readonly onLearned?: (learned: Learned) => void
  readonly log: Logger
}

/**
 * Opens the upstreams of a file, with a reloader that does not run yet.
 *
 * @param onReloaded called after the upstreams changed
 * @throws FileError or ConfigError if the file is not valid
 */
export function followUpstreams(
  { upstreamsFile, env, upstreamCheckMs: intervalMs = defaultCheckMs, onLearned = () => {}, log }: FollowedUpstreams,
  onReloaded: () => void
): { upstreams: LiveUpstreams; reloader: UpstreamReloader } {
  const source = new UpstreamsSource(upstreamsFile, env)
  const upstreams = new LiveUpstreams(
    () => source.read(),
    {
      onBreaker(upstream, state) {
        log.warn({ upstream, breaker: state }, 'circuit breaker changed')
        if (state !== 'half-open') onLearned({ kind: 'breaker', upstream, state })
      },
      onPause: (upstream, model, ms) => onLearned({ kind: 'pause', upstream, model, ms })
    },
    (err) => log.warn({ err }, 'cannot close the connections of an upstream')
  )
  return { upstreams, reloader: createUpstreamReloader({ source, upstreams, log, intervalMs, onReloaded }) }
}
