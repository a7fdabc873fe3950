import { Outlet, useLocation } from '@tanstack/react-router'
import { Bell as BellIcon, Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { accountFeed } from '../notices/feed.ts'
import { Banner } from '../ui/banner.tsx'
import { MomentTooltip } from '../ui/moment.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { Bell, bellLook } from './bell.tsx'
import { useFollowAccount } from './follow-account.ts'
import { Identity } from './identity.tsx'
import { dialogOnDemand } from './lazy-dialog.tsx'
import { BrandLinks, Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { useAccount, useUser } from './owner.tsx'

const WaitingBell = () => (
  <span aria-hidden="true" className={bellLook}>
    <BellIcon className="size-5" />
  </span>
)

const OperatorBell = lazy(() =>
  import('./operator-bell.tsx').then(
    ({ OperatorBell: component }) => ({ default: component }),
    // The page stays usable without a bell. If its own code is missing too, the router says so.
    () => ({ default: WaitingBell })
  )
)

/** The bell of the account, and on the operators' pages the bell of the operators. */
function ShellBell() {
  const { pathname } = useLocation()
  const isOperator = useUser().role === 'operator'
  if (!isOperator || !/^\/dashboard\/operator(\/|$)/.test(pathname)) return <Bell key="account" feed={accountFeed} />
  return (
    <Suspense fallback={<WaitingBell />}>
      <OperatorBell />
    </Suspense>
  )
}

/** Loaded when it is first opened, so that the first page stays small. */
const Menu = dialogOnDemand(() => import('./menu.tsx'), 'Menu')

/** The frame around every signed-in page: navigation, the user's name, theme, sign-out and toasts. */
export function Shell() {
  return (
    <ToastProvider>
      <Frame />
    </ToastProvider>
  )
}

function Frame() {
  const account = useAccount()
  useFollowAccount()
  const isOperator = useUser().role === 'operator'
  const { palette, open: openPalette } = usePalette()
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <TopBar onSearch={openPalette} />
      <header className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-surface px-3 py-5 lg:flex">
        <div className="mb-5 flex items-center justify-between pl-3">
          <Logo />
          <ShellBell />
        </div>
        <PaletteButton onOpen={openPalette} />
        <nav aria-label="Dashboard" className="flex-1 overflow-y-auto">
          <Navigation isOwner={account.role === 'owner'} isOperator={isOperator} />
        </nav>
        <Identity />
      </header>
      <main id="content" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none sm:px-8 sm:py-9">
        <div className="mx-auto max-w-6xl">
          {account.status === 'suspended' && (
            <div className="mb-6">
              <SuspendedBanner waits={account.waits_for_approval === true} />
            </div>
          )}
          <Outlet />
        </div>
      </main>
      <MomentTooltip />
      {palette}
    </div>
  )
}

function SuspendedBanner({ waits }: { readonly waits: boolean }) {
  return waits ? (
    <Banner title="Your account waits for approval. We will mail you.">
      Until then, you can create no API keys and buy no plan. <BrandLinks />
    </Banner>
  ) : (
    <Banner tone="danger" title="This account is suspended">
      Requests with its keys are refused. Contact the operator of this service. <BrandLinks />
    </Banner>
  )
}

/** Replaces the sidebar on narrow screens. */
function TopBar({ onSearch }: { readonly onSearch: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <header className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 lg:hidden">
      <Logo />
      <div className="flex items-center gap-1">
        <PaletteButton onOpen={onSearch} isIcon />
        <ShellBell />
        <button
          ref={button}
          type="button"
          aria-label="Menu"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onPointerEnter={Menu.preload}
          onClick={() => setOpen(true)}
          className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <MenuIcon aria-hidden="true" className="size-5" />
        </button>
        {isOpen && <Menu button={button} onClose={() => setOpen(false)} />}
      </div>
    </header>
  )
}

/** Loaded when it is first opened, so that the first page stays small. */
const Palette = dialogOnDemand(() => import('./palette.tsx'), 'Palette')

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The palette, opened with ⌘K or Ctrl K. */
function usePalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || !(isMac ? event.metaKey : event.ctrlKey))
        return
      event.preventDefault()
      // An open dialog keeps its input.
      setOpen((before) => !before && document.querySelector('[role="dialog"][data-open]') === null)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const palette = isOpen && <Palette onClose={() => setOpen(false)} />
  return { palette, open: () => setOpen(true) }
}

interface PaletteButtonProps {
  readonly onOpen: () => void
  /** Only the icon, for narrow screens. */
  readonly isIcon?: boolean
}

/** Opens the palette, and shows its shortcut. */
function PaletteButton({ onOpen, isIcon = false }: PaletteButtonProps) {
  const shared = {
    'aria-keyshortcuts': isMac ? 'Meta+K' : 'Control+K',
    'aria-haspopup': 'dialog',
    onClick: onOpen
  } as const
  if (isIcon) {
    return (
      <button
        {...shared}
        type="button"
        aria-label="Search"
        className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <Search aria-hidden="true" className="size-5" />
      </button>
    )
  }
  return (
    <button
      {...shared}
      type="button"
      className="mb-4 flex min-h-9 items-center gap-3 rounded-lg border border-line bg-canvas px-3 text-sm text-ink-soft hover:border-line-strong hover:text-ink"
    >
      <Search aria-hidden="true" className="size-4 shrink-0" />
      <span className="flex-1 text-left">Search</span>
      <span aria-hidden="true" className="text-xs">
        {isMac ? '⌘K' : 'Ctrl K'}
      </span>
    </button>
  )
}
