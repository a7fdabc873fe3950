import { type ComponentType, Suspense } from 'react'
import { lazyPage } from './lazy-page.ts'

/** By then the page is shown, and has requested its data. */
const preloadAfterMs = 2000

/**
 * A dialog whose code is loaded after the page, or when it is opened before that. Pages show sooner without it.
 *
 * @param load imports the module
 * @param name the component in the module
 */
export function lazyDialog<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name
): ComponentType<PropsOf<Module[Name]>> {
  const Loaded = lazyPage(load, name) as ComponentType<PropsOf<Module[Name]>>
  // If this fails, opening the dialog tries again.
  setTimeout(() => void load().catch(() => {}), preloadAfterMs)
  return (props) => (
    <Suspense fallback={null}>
      <Loaded {...props} />
    </Suspense>
  )
}

type PropsOf<Component> = Component extends (props: infer Props extends object) => unknown ? Props : never
