import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

const threadFile = /\(__dirname, 'worker\.js'\)/

/** Adds the program of Piscina's threads, which Piscina looks for beside itself. */
export function piscinaThread(lib: string): Plugin {
  return {
    name: 'piscina-thread',
    transform(code, id) {
      if (!id.endsWith('/piscina/dist/index.js')) return null
      if (!threadFile.test(code)) throw new Error(`${id} looks for the program of its threads in another place`)
      this.emitFile({ type: 'chunk', id: join(dirname(id), 'worker.js'), fileName: join(lib, 'worker.js') })
      return null
    }
  }
}
