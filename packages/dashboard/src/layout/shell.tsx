import { Dialog } from '@base-ui/react/dialog'
import { Outlet, useLocation } from '@tanstack/react-router'
import { LogOut, Menu, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { visibleText } from '../format/visible-text.ts'
import { Banner } from '../ui/banner.tsx'
import { MomentTooltip } from '../ui/moment-tooltip.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { BrandLinks } from './brand-links.tsx'
import { useAccount, useUser } from './caller.ts'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { PaletteButton, usePalette } from './palette-button.tsx'
import { ShellBell } from './shell-bell.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { useSignOut } from './use-sign-out.ts'

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
              <Banner tone="danger" title="This account is suspended">
                Requests with its keys are refused. Contact the operator of this service. <BrandLinks />
              </Banner>
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

/** Replaces the sidebar on narrow screens. */
function TopBar({ onSearch }: { readonly onSearch: () => void }) {
  const account = useAccount()
  const isOperator = useUser().role === 'operator'
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const isNavigating = useRef(false)
  const close = (to = pathname) => {
    isNavigating.current = to !== pathname
    setOpen(false)
  }
  return (
    <header className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-surface px-4 py-2.5 lg:hidden">
      <Logo />
      <div className="flex items-center gap-1">
        <PaletteButton onOpen={onSearch} isIcon />
        <ShellBell />
        <Dialog.Root open={isOpen} onOpenChange={(next) => (next ? setOpen(true) : close())}>
          <Dialog.Trigger
            aria-label="Menu"
            className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
          >
            <Menu aria-hidden="true" className="size-5" />
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)]" />
            <Dialog.Popup
              // After navigation the title of the new page takes the focus.
              finalFocus={() => !isNavigating.current}
              className="fixed inset-y-0 right-0 z-50 flex w-72 max-w-[85vw] flex-col bg-surface px-3 py-3 shadow-popup outline-none"
            >
              <div className="mb-3 flex items-center justify-between pl-3">
                <Dialog.Title className="text-sm font-semibold">Menu</Dialog.Title>
                <Dialog.Close
                  aria-label="Close menu"
                  className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  <X aria-hidden="true" className="size-5" />
                </Dialog.Close>
              </div>
              <nav aria-label="Dashboard" className="flex-1 overflow-y-auto">
                <Navigation isOwner={account.role === 'owner'} isOperator={isOperator} onChosen={close} />
              </nav>
              <Identity />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      </div>
    </header>
  )
}

function Identity() {
  const user = useUser()
  const signOut = useSignOut()
  return (
    <div className="mt-4 border-t border-line px-3 pt-4">
      {visibleText(user.name) !== '' && (
        <p className="truncate text-sm font-medium" title={user.name}>
          {user.name}
        </p>
      )}
      <p className="truncate text-[0.8125rem] text-ink-soft" title={user.email}>
        {user.email}
      </p>
      <div className="mt-3 flex items-center justify-between">
        <ThemeSwitch />
        <button
          type="button"
          className="inline-flex min-h-8 items-center gap-2 rounded-lg px-2 text-[0.8125rem] font-medium text-ink-soft hover:bg-sunken hover:text-ink"
          onClick={() => void signOut()}
        >
          <LogOut aria-hidden="true" className="size-3.5" />
          Sign out
        </button>
      </div>
      <div className="mt-3 empty:hidden">
        <BrandLinks />
      </div>
    </div>
  )
}
