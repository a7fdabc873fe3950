import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { share } from '../share.ts'
import { startTestSystem } from '../start-test-system.ts'
import { writeCatalogWith } from '../write-catalog.ts'
import { startCollector } from './otlp-collector.ts'

const misbehaving = {
  thinking: 'thinking+reasoning-tokens=20+cached-tokens=5+pace-ms=20',
  /** Its streams last until the client ends them. */
  slow: 'slow+pace-ms=60000',
  failing: 'failing+status=500'
}

/** A system that exports the receipts of its requests, for the files that test this and the metrics; and its collector. */
export const exportingSystem = share(async (endings) => {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-collector-'))
  endings.teardown(async () => rmSync(directory, { recursive: true }))
  const port = await freePort()
  const start = (name: string) => startCollector(port, join(directory, `${name}.sqlite`))
  let collector = await start('first')
  endings.teardown(() => collector.kill())
  const system = await startTestSystem(endings, {
    env: {
      CATALOG_FILE: writeCatalogWith(directory, misbehaving),
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/v1/logs`
    }
  })
  return {
    system,
    collector: () => collector,
    /** Starts another collector at the same address. The one before must have ended. */
    async startAnotherCollector() {
      collector = await start(crypto.randomUUID())
      return collector
    }
  }
})
