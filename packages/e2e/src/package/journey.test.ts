import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { makePackage } from '@tollgate/packaging/make-package.ts'
import { packagePlans } from '@tollgate/packaging/packages.ts'
import { need } from '@tollgate/sandbox/need.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import t from 'tap'

// The journey of a user, through the packages instead of the sources.
if (need(t, 'PostgreSQL', findPostgres(process.env))) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  await ensureDashboard()
  for (const plan of packagePlans)
    await makePackage(plan, workspaceFile('').replace(/\/$/, ''), join(folder, plan.name))
  process.env.TOLLGATE_TEST_PACKAGE = folder
  await import('../journey.test.ts')
}
