import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePackages } from '@tollgate/packaging/make-package.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import t from 'tap'

// The journey of a user, through the packages instead of the sources.
if (need(t, 'PostgreSQL', findPostgres(process.env))) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await makePackages(folder)
  process.env.TOLLGATE_TEST_PACKAGE = folder
  await import('../journey.test.ts')
}
