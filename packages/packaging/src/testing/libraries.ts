/**
 * Libraries of many small files, which take longer to find and link than to run, by a package of the workspace that
 * depends on them. All imports of a library must be here, so that no program has two copies of its state.
 */
export const libraries: Readonly<Record<string, string>> = {
  'ajv-formats': 'services/control',
  ajv: 'packages/e2e',
  'ajv/dist/2020.js': 'services/control',
  'drizzle-orm': 'services/control',
  'drizzle-orm/migrator': 'services/control',
  'drizzle-orm/pg-core': 'services/control',
  'drizzle-orm/pglite': 'services/control',
  'drizzle-orm/postgres-js': 'services/control',
  fastify: 'services/control',
  ioredis: 'packages/state',
  jose: 'packages/sandbox',
  pino: 'services/control',
  'prom-client': 'packages/service',
  stripe: 'services/control',
  tap: '.',
  typebox: 'services/control',
  'typebox/compile': 'packages/contracts',
  'typebox/schema': 'packages/sandbox',
  'typebox/value': 'services/control',
  undici: 'services/gateway',
  yaml: 'packages/service'
}

/**
 * Libraries that the bundled ones import, and that programs import, too, or that `packages/cli/src/testing/unobserved.mjs`
 * replaces. They stay as they are.
 */
export const kept: readonly string[] = ['@electric-sql/pglite', '@opentelemetry/api', 'async-hook-domain', 'postgres']
