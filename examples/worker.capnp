# Serves examples/worker.ts, bundled as worker.js, with workerd: `workerd serve worker.capnp`. The data is stored in the
# folder `vaults`, which must exist. The token's digest is read from the environment.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "vaults", disk = (path = "vaults", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "main")]
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2025-01-01",
  bindings = [
    (name = "TOKEN_SHA256", fromEnvironment = "TOKEN_SHA256"),
    (name = "VAULTS", durableObjectNamespace = "VaultObject"),
  ],
  durableObjectNamespaces = [
    (className = "VaultObject", uniqueKey = "cofferkit-vaults", enableSql = true)
  ],
  durableObjectStorage = (localDisk = "vaults")
);
