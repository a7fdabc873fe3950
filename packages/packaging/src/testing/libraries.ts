/**
 * Libraries that almost every program loads, and whose hundreds of small files take longer to find and link than to run.
 * All imports of a library must be here, so that no program has two copies of its state.
 */
export const libraries = ['stripe', 'tap', 'typebox', 'typebox/compile', 'typebox/schema', 'typebox/value'] as const
