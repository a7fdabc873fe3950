import type { Library } from './read-libraries.ts'

/** The name of the file in a package. */
export const licencesFile = 'THIRD-PARTY-LICENSES.txt'

const line = '-'.repeat(80)

/** The licences of the libraries in a package, as a text for people. */
export function writeLicences(libraries: readonly Library[]): string {
  return [
    'This package contains code of these libraries.',
    ...libraries.map(
      ({ name, version, licence, text }) =>
        `${line}\n${name} ${version}\nLicence: ${licence}\n\n${text ?? 'The library has no file with the text of its licence.'}`
    ),
    ''
  ].join('\n\n')
}
