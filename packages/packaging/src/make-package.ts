import { cpSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { version } from '@tollgate/service/version.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { bundle } from './bundle/bundle.ts'
import { checksumsFile, writeChecksums } from './files/checksums.ts'
import { copyFiles } from './files/copy-files.ts'
import { provenanceFile, readSource, writeProvenance } from './files/provenance.ts'
import { minNodeMajor, writeLauncher } from './launch/launcher.ts'
import { readDashboardLibraries, readLibraries, unique } from './libraries/read-libraries.ts'
import { licencesFile, writeLicences } from './libraries/write-licences.ts'
import { sbomFile, writeSbom } from './libraries/write-sbom.ts'
import { type PackagePlan, packagePlans } from './packages.ts'

/** Where control looks for the dashboard, from the root of the workspace. */
const dashboard = 'packages/dashboard/dist/current'
/** The libraries in the dashboard, a file of its build. */
const dashboardLicences = 'licences.json'

/** The root of the workspace, without a slash at its end. */
const root = workspaceFile('').replace(/\/$/, '')

/** Makes every package, each in a folder of its name in `folder`. Builds the dashboard if its sources changed. */
export async function makePackages(folder: string): Promise<void> {
  await ensureDashboard()
  for (const plan of packagePlans) await makePackage(plan, join(folder, plan.name))
}

/**
 * Makes a package: a folder with everything that its programs need besides Node.
 *
 * @param outDir the package's folder. What it contained is removed
 */
export async function makePackage(plan: PackagePlan, outDir: string): Promise<void> {
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(outDir, { recursive: true })
  const modules = await bundle(plan, root, outDir)
  for (const program of Object.keys(plan.programs)) {
    writeFileSync(join(outDir, `${program}.js`), writeLauncher(program, plan.v8Flags))
  }
  copyFiles([...plan.files, { folder: '.', patterns: ['LICENSE'] }], root, outDir)
  if (plan.hasDashboard) cpSync(realpathSync(join(root, dashboard)), join(outDir, dashboard), { recursive: true })
  const ofDashboard = plan.hasDashboard ? readDashboardLibraries(join(root, dashboard, dashboardLicences)) : []
  const libraries = unique([...readLibraries(modules), ...ofDashboard])
  writeFileSync(join(outDir, licencesFile), writeLicences(libraries))
  writeFileSync(join(outDir, sbomFile), writeSbom(`tollgate-${plan.name}`, version, libraries))
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(describePackage(plan), null, 2)}\n`)
  const made = { name: plan.name, version, checksums: writeChecksums(outDir) }
  writeFileSync(join(outDir, provenanceFile), writeProvenance(made, readSource(root), root))
  writeFileSync(join(outDir, checksumsFile), writeChecksums(outDir))
}

const describePackage = ({ name, description }: PackagePlan) => ({
  name: `tollgate-${name}`,
  version,
  private: true,
  description,
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: `>=${minNodeMajor}` }
})
