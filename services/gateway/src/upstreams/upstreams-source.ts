import { type ReadUpstreams, readUpstreamsFile } from './upstreams-file.ts'

/** The upstreams file of this process, and the files that it names. */
export class UpstreamsSource {
  readonly #file: string
  readonly #env: Record<string, string | undefined>
  #files: ReadonlySet<string>

  /** @param env the variables that the file names. They are those of the start: no variable of a running process changes */
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
