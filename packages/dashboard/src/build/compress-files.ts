import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Smaller files fit into one packet without compression. */
const minBytes = 1024

/** Writes `<file>.br` and `<file>.gz` beside each text file in a directory, with maximum compression. */
export function compressFiles(directory: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name)
    const content = readFileSync(path)
    if (content.length < minBytes) continue
    const size = constants.BROTLI_PARAM_SIZE_HINT
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [size]: content.length } }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}
