import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminPaths } from '../api/admin-paths.ts'
import { digestFiles, packageDir } from './builds.ts'

/** A source in `src/generated`, which git ignores. */
interface GeneratedSource {
  readonly name: string
  /** Patterns of the files that decide its content, from this package. */
  readonly inputs: readonly string[]
  /** Loads much code, so only if it is needed. */
  make(): Promise<string | Buffer>
}

const sources: readonly GeneratedSource[] = [
  {
    name: 'operations.ts',
    inputs: [
      '../../pnpm-lock.yaml',
      '../../services/control/src/**/*.ts',
      '../{contracts,service,state}/src/**/*.ts',
      'src/api/admin-paths.ts',
      'src/build/api-types.ts'
    ],
    async make() {
      const { readApiDocument } = await import('@tollgate/control/api-document.ts')
      const { writeApiTypes } = await import('./api-types.ts')
      const document = await readApiDocument()
      for (const [method, path] of Object.values(adminPaths)) {
        const isKnown = document.paths[path]?.[method.toLowerCase()] !== undefined
        if (!isKnown) throw new Error(`Control has no ${method} ${path}, which src/api/admin-paths.ts names`)
      }
      return writeApiTypes(document)
    }
  },
  {
    name: 'geist-latin-400-600.woff2',
    inputs: ['../../pnpm-lock.yaml', 'src/build/latin-font.ts'],
    make: async () => (await import('./latin-font.ts')).subsetLatin()
  }
]

const folder = join(packageDir, 'src/generated')
const pathOf = ({ name }: GeneratedSource): string => join(folder, name)
/** Has the digest of the inputs that the source was made from. */
const digestPathOf = ({ name }: GeneratedSource): string => join(folder, `${name}.inputs`)

/** The sources that are missing, or whose inputs have changed since they were made. */
const findStale = () =>
  sources
    .map((source) => ({ source, digest: digestFiles(packageDir, source.inputs) }))
    .filter(({ source, digest }) => !existsSync(pathOf(source)) || readIfExists(digestPathOf(source)) !== digest)

/** Whether {@link generateSources} has nothing to do. */
export const areSourcesGenerated = (): boolean => findStale().length === 0

/**
 * Makes the sources that git ignores, if they are missing or their inputs have changed. Everything that reads them runs
 * it first.
 */
export async function generateSources(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { source, digest } of findStale()) {
    replace(pathOf(source), await source.make())
    replace(digestPathOf(source), digest)
  }
}

const readIfExists = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null)

/** Other processes may read the file, or write the same, at this moment. */
function replace(path: string, content: string | Buffer): void {
  const own = `${path}.${process.pid}`
  writeFileSync(own, content)
  renameSync(own, path)
}
