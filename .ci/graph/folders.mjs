import { options } from './options.mjs'

/**
 * The folders of a package have an order: none imports, by way of others, what imports it. Types count as much as values.
 * Tests, and what only they need, are left out: they may import from everywhere.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: [
    {
      name: 'no-cycle-of-folders',
      comment: 'Move the file to the folder where it belongs, or what both folders need to a third one.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true }
    }
  ],
  options: { ...options, exclude: { path: ['/node_modules/', '/testing/', '[.]test[.]tsx?$'] } }
}
