import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Less than this fits into one packet either way. */
const smallestBytes = 1024

/** Writes `<file>.br` and `<file>.gz` beside each text file below a directory, as small as they get. */
export function compressFiles(directory: string): void {
  for (const name of globSync('**/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name)
    const content = readFileSync(path)
    if (content.length < smallestBytes) continue
    const size = constants.BROTLI_PARAM_SIZE_HINT
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [size]: content.length } }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}
