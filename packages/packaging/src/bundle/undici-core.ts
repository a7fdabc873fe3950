import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

const id = '\0undici-core'
/** What Tollgate uses of undici, and the file of each part. */
const parts = {
  Agent: 'dispatcher/agent.js',
  Client: 'dispatcher/client.js',
  Pool: 'dispatcher/pool.js',
  errors: 'core/errors.js'
}

/**
 * Replaces undici by the parts that Tollgate uses. Its own index loads everything, also `fetch`, WebSocket and mocks: another 13
 * MB of memory in each gateway. The build fails if Tollgate imports another part.
 */
export function undiciCore(): Plugin {
  let index = ''
  return {
    name: 'undici-core',
    async resolveId(source, importer) {
      if (source !== 'undici' || importer === undefined || importer.includes('/node_modules/')) return null
      index = (await this.resolve(source, importer, { skipSelf: true }))!.id
      return id
    },
    load(loaded) {
      if (loaded !== id) return null
      const from = (file: string) => `from ${JSON.stringify(join(dirname(index), 'lib', file))}`
      return [
        `import Dispatcher ${from('dispatcher/dispatcher.js')}`,
        `import * as api ${from('api/index.js')}`,
        // As undici's index does.
        'Object.assign(Dispatcher.prototype, { request: api.request })',
        ...Object.entries(parts).map(([name, file]) => `export { default as ${name} } ${from(file)}`)
      ].join('\n')
    }
  }
}
