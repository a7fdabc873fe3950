import { options } from './options.mjs'

/** Words that name a file after a metaphor of ours. The glossary has the field's word. */
const metaphors =
  'vouch|vouched|stamp|holder|gone|scout|scouts|fewest|longest|usual|insist|pace|turns|news|leave|looks|grip|grips|stand-in|doomed'
const namedByMetaphor = `[/-](?:${metaphors})[.-][^/]+$`

/**
 * Which file may import which. Types count as much as values.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'no-cycle-of-files',
      comment: 'Files that import each other can only be understood together. Move what both need into a third file.',
      severity: 'error',
      from: {},
      to: { circular: true }
    },
    {
      name: 'no-testing-in-sources',
      comment: 'What runs in production does not need what tests need.',
      severity: 'error',
      from: { pathNot: ['/testing/', '[.]test[.]tsx?$', '^packages/(bench|e2e)/'] },
      to: { path: ['/testing/', '[.]test[.]tsx?$'] }
    },
    {
      name: 'no-climbing-out',
      comment: 'Another package is imported by its name.',
      severity: 'error',
      from: { path: '^((?:packages|services)/[^/]+)/' },
      to: { path: '^(?:packages|services)/', pathNot: '^$1/', dependencyTypes: ['local'] }
    },
    {
      name: 'nothing-outside-exports',
      comment: 'The import names nothing that exists, or something that the package does not export.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true }
    },
    {
      name: 'services-apart',
      comment: 'Services run without each other. What both need is a package.',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' }
    },
    {
      name: 'no-metaphor-imports',
      comment: "Name the file by the field's word: see docs/glossary.md.",
      severity: 'error',
      from: { path: namedByMetaphor },
      to: {}
    },
    {
      name: 'no-metaphor-imported',
      comment: "Name the file by the field's word: see docs/glossary.md.",
      severity: 'error',
      from: {},
      to: { path: namedByMetaphor }
    }
  ],
  options
}
