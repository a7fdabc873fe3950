import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputChunk, Plugin } from 'rolldown'

/**
 * Leaves the code of libraries out of source maps. Node parses all maps when it loads the code: those of libraries would cost a
 * gateway 20 MB of memory. Their code is bundled as it is, so its names are in the traces anyway.
 */
export function ownMaps(): Plugin {
  return {
    name: 'own-maps',
    transform: (code, id) => (id.includes('/node_modules/') ? { code, map: { mappings: '' } } : null)
  }
}

/** Removes the maps that are empty, and what refers to them: Node splits each file that names a map into its lines. */
export function removeEmptyMaps(outDir: string, chunks: readonly OutputChunk[]): void {
  for (const { fileName, code, map, sourcemapFileName } of chunks) {
    if (map === null || sourcemapFileName === null || map.sources.length > 0) continue
    rmSync(join(outDir, sourcemapFileName))
    writeFileSync(join(outDir, fileName), code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'))
  }
}
