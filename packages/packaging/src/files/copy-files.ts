import { cpSync, globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { KeptFiles } from '../packages.ts'

/** Copies files of the workspace to the same place in the package. @throws Error if a pattern matches no file */
export function copyFiles(kept: readonly KeptFiles[], root: string, outDir: string): void {
  for (const { folder, patterns } of kept) {
    for (const pattern of patterns) {
      const names = globSync(pattern, { cwd: join(root, folder) })
      if (names.length === 0) throw new Error(`${folder}/${pattern} matches no file`)
      for (const name of names) {
        const to = join(outDir, folder, name)
        mkdirSync(dirname(to), { recursive: true })
        cpSync(join(root, folder, name), to)
      }
    }
  }
}
