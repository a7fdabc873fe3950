import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@tollgate/control/database/connect.ts'
import { migrate } from '@tollgate/control/database/migrate.ts'
import { makePackages } from '@tollgate/packaging/make-package.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { Bench } from '../bench.ts'
import { median } from '../measure/statistics.ts'
import { measureStart, type Service, type StartFigures } from '../processes/start-service.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

/** What the packages are to stay below. */
const targets = {
  gateway: { seconds: 0.8, residentMb: 100, sizeMb: 15 },
  control: { seconds: 2, residentMb: 180, sizeMb: 40 }
} as const

const names = ['control', 'gateway'] as const
const clones = {
  control: fileURLToPath(import.meta.resolve('@tollgate/control/main.ts')),
  gateway: fileURLToPath(import.meta.resolve('@tollgate/gateway/main.ts'))
}
const upstreamsFile = fileURLToPath(new URL('../targets/upstreams.yaml', import.meta.url))

interface Row {
  readonly name: (typeof names)[number]
  readonly from: 'clone' | 'package'
  readonly starts: readonly StartFigures[]
  /** null for the clone. */
  readonly sizeBytes: number | null
}

/** Starts both services, from the clone and from their packages. */
export const start: Part = {
  name: 'start',
  summary: 'start and size of gateway and control, from the clone and from the packages',
  onlyIfNamed: true,
  async run(bench) {
    const packages = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
    try {
      bench.progress('start: making the packages')
      await makePackages(packages)
      const rows = await measureAll(bench, packages)
      return {
        sections: [
          {
            title: `Starts: the median of ${bench.timing.starts}, and the package's target`,
            table: {
              head: [
                'service',
                'ready, s',
                'target',
                'CPU, s',
                'memory, MB',
                'target',
                'own, MB',
                'size, MB',
                'target'
              ],
              rows: rows.map(describeRow)
            },
            notes: [
              'Memory is read 10 s after the service is ready. Redis and PostgreSQL are not counted.',
              'Own memory is without the pages of files. Most of these are Node itself, which all its processes share.'
            ]
          }
        ],
        figures: { targets, rows }
      }
    } finally {
      rmSync(packages, { recursive: true })
    }
  }
}

async function measureAll(bench: Bench, packages: string): Promise<Row[]> {
  const postgres = await startPostgres()
  if (postgres === null) throw new Error('this part needs PostgreSQL')
  bench.children.alsoStop(() => postgres.stop())
  const redis = await startRedis({ port: 0 })
  bench.children.alsoStop(() => redis.stop())
  if (redis.kind === 'js-redis-server') throw new Error('this part needs redis-server')
  const database = await openDatabase(postgres.url, { poolSize: 1 })
  await migrate(database.orm)
  await database.close()
  const rows: Row[] = []
  // Control first: the gateways need the catalog that it writes.
  for (const name of names) {
    for (const from of ['clone', 'package'] as const) {
      const folder = join(packages, name)
      const file = from === 'clone' ? clones[name] : join(folder, 'main.js')
      const service = { name, file, env: environmentOf(name, postgres.url, redis.url) }
      const starts = await measureStarts(bench, service, from)
      rows.push({ name, from, starts, sizeBytes: from === 'clone' ? null : sizeOf(folder) })
    }
  }
  return rows
}

async function measureStarts(bench: Bench, service: Service, from: string): Promise<StartFigures[]> {
  const starts: StartFigures[] = []
  for (let done = 0; done < bench.timing.starts; done++) {
    bench.progress(`start: ${service.name} from the ${from}, ${done + 1} of ${bench.timing.starts}`)
    starts.push(await measureStart(bench.children, service, bench.timing.startRestMs))
  }
  return starts
}

function environmentOf(name: 'gateway' | 'control', databaseUrl: string, redisUrl: string): Service['env'] {
  const common = { PATH: '/usr/local/bin:/usr/bin:/bin', REDIS_URL: redisUrl }
  if (name === 'gateway') return { ...common, UPSTREAMS_FILE: upstreamsFile, BENCH_CREDENTIAL: 'none' }
  return {
    ...common,
    PUBLIC_URL: 'http://localhost:3000',
    SUPABASE_URL: 'http://127.0.0.1:1',
    SUPABASE_ANON_KEY: 'none',
    SUPABASE_SERVICE_ROLE_KEY: 'none',
    STRIPE_SECRET_KEY: 'none',
    STRIPE_WEBHOOK_SECRET: 'whsec_none_at_all_here',
    STRIPE_API_BASE: 'http://127.0.0.1:1',
    DATABASE_URL: databaseUrl
  }
}

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)

function describeRow({ name, from, starts, sizeBytes }: Row): string[] {
  const of = (figure: keyof StartFigures) => median(starts.map((one) => one[figure]))
  const { seconds, residentMb, sizeMb } = targets[name]
  const target = (value: number) => (from === 'package' ? `≤ ${value}` : '')
  return [
    `${name}, ${from}`,
    ...[formatNumber(of('seconds'), 2), target(seconds)],
    formatNumber(of('cpuSeconds'), 2),
    ...[formatNumber(of('residentBytes') / 1e6, 0), target(residentMb)],
    formatNumber(of('ownBytes') / 1e6, 0),
    ...[sizeBytes === null ? '' : formatNumber(sizeBytes / 1e6, 1), target(sizeMb)]
  ]
}
