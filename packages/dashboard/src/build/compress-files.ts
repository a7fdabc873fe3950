import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Smaller files fit into one packet without compression. */
const minBytes = 1024
/** Larger ones are of the viewer of the API reference. The last 4 % of their size would take most of the build's time. */
const largeBytes = 250_000

/** Writes `<file>.br` and `<file>.gz` beside each text file in a directory. */
export function compressFiles(directory: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name)
    const content = readFileSync(path)
    if (content.length < minBytes) continue
    const params = {
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      [constants.BROTLI_PARAM_QUALITY]: content.length > largeBytes ? 9 : constants.BROTLI_MAX_QUALITY
    }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}
