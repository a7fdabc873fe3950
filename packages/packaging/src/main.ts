import { join } from 'node:path'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { makePackage } from './make-package.ts'
import { packagePlans } from './packages.ts'

const root = workspaceFile('').replace(/\/$/, '')
await ensureDashboard()
for (const plan of packagePlans) {
  const outDir = join(root, 'dist', plan.name)
  await makePackage(plan, root, outDir)
  console.log(outDir)
}
