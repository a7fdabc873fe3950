import { cpSync, globSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { ensureDashboard } from '@tollgate/dashboard/build/ensure-dashboard.ts'
import { version, workspaceFile } from '@tollgate/service/workspace.ts'
import { bundle } from './bundle.ts'
import { checksumsFile, writeChecksums } from './checksums.ts'
import { type KeptFiles, type PackagePlan, packagePlans } from './packages.ts'
import { provenanceFile, readSource, writeProvenance } from './provenance.ts'
import { type Library, readDashboardLibraries, readLibraries, unique } from './read-libraries.ts'

/** The name of the file in a package. */
const sbomFile = 'sbom.cdx.json'

/**
 * The bill of materials of a package in CycloneDX 1.6, as JSON: all libraries that it contains. It has neither a time
 * nor a random number, so that two builds are equal.
 *
 * @param version of Tollgate
 */
function writeSbom(name: string, version: string, libraries: readonly Library[]): string {
  const component = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    bomRef: name,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('Apache-2.0')])
  })
  const components = libraries.map((library) => toComponent(library))
  for (const { bomRef } of components) component.dependencies.add(bomRef)
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component }),
    components: new Models.ComponentRepository(components)
  })
  const format = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return `${new Serialize.JsonSerializer(format).serialize(bom, { sortLists: true, space: 2 })}\n`
}

function toComponent({ name, version, licence }: Library): Models.Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [group, own] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name]
  return new Models.Component(Enums.ComponentType.Library, own, {
    group,
    version,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([
      / (AND|OR|WITH) /.test(licence) ? new Models.LicenseExpression(licence) : new Models.SpdxLicense(licence)
    ])
  })
}

/** The oldest Node that runs the package. */
const minNodeMajor = 24

/**
 * The file that an operator starts: checks the version of Node before it loads anything, so that an old Node prints the
 * message and no syntax error.
 *
 * @param program the name of the program in `lib`
 * @param v8Flags set before the program is loaded
 */
function writeLauncher(program: string, v8Flags: readonly string[]): string {
  const flags = v8Flags.map((flag) => `  process.getBuiltinModule('node:v8').setFlagsFromString('${flag}')\n`).join('')
  return `if (Number.parseInt(process.versions.node, 10) < ${minNodeMajor}) {
  console.error('Tollgate needs Node ${minNodeMajor} or later. This is ' + process.version + '.')
  process.exit(1)
} else {
${flags}  import('./lib/launch.js').then(
    ({ launch }) => launch('${program}', new URL('.', import.meta.url)),
    (error) => {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
      console.error('The package of Tollgate lacks the file lib/launch.js. Copy the package again.')
      process.exit(1)
    }
  )
}
`
}

/** The name of the file in a package. */
const licencesFile = 'THIRD-PARTY-LICENSES.txt'

const line = '-'.repeat(80)

/** The licences of the libraries in a package, as a text for people. */
function writeLicences(libraries: readonly Library[]): string {
  return [
    'This package contains code of these libraries.',
    ...libraries.map(
      ({ name, version, licence, text }) =>
        `${line}\n${name} ${version}\nLicence: ${licence}\n\n${text ?? 'The library has no file with the text of its licence.'}`
    ),
    ''
  ].join('\n\n')
}

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

/** Copies files of the workspace to the same place in the package. @throws Error if a pattern matches no file */
function copyFiles(files: readonly KeptFiles[], root: string, outDir: string): void {
  for (const { folder, patterns } of files) {
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
