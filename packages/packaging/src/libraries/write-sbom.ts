import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { Library } from './read-libraries.ts'

/** The name of the file in a package. */
export const sbomFile = 'sbom.cdx.json'

/**
 * The bill of materials of a package in CycloneDX 1.6, as JSON: all libraries that it contains. It has neither a time nor a
 * random number, so that two builds are equal.
 *
 * @param version of Tollgate
 */
export function writeSbom(name: string, version: string, libraries: readonly Library[]): string {
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
    ...{ group, version, purl, bomRef: purl },
    licenses: new Models.LicenseRepository([
      / (AND|OR|WITH) /.test(licence) ? new Models.LicenseExpression(licence) : new Models.SpdxLicense(licence)
    ])
  })
}
