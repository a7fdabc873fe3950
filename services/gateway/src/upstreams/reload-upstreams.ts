import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { LiveUpstreams } from './live-upstreams.ts'
import type { UpstreamsSource } from './upstreams-source.ts'

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
export interface UpstreamReloader {
  start(): void
  stop(): Promise<void>
  /** Reloads now. Never throws: invalid files are an error in the log, and the upstreams in force stay. */
  reload(): Promise<void>
}

export function createUpstreamReloader(options: UpstreamReloaderOptions): UpstreamReloader {
  const { source, upstreams, log, intervalMs, onReloaded } = options
  /** Digest of the files of the last reload. null at first: the files may have changed since the start. */
  let seen: string | null = null

  const loop = createBackgroundLoop({
    round: checkFiles,
    intervalMs,
    isFirstDelayed: true,
    log,
    messages: { failing: 'the upstreams file could not be checked for changes' }
  })

  async function checkFiles(): Promise<void> {
    const found = await digestOf(source.files)
    if (found === seen) return
    await loop.pause(settleMs)
    if ((await digestOf(source.files)) !== found) loop.wake()
    else apply(found, false)
  }

  /** @param found digest of the files before they are read, so that a later change is noticed */
  function apply(found: string, isDemanded: boolean): void {
    seen = found
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
