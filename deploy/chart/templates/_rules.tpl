{{- /* What the controller does to the objects that it works on. `cluster`: in all namespaces, with ClusterIssuers. */}}
{{- define "zoneproof.rules" -}}
- apiGroups: [zoneproof.dev]
  resources: [issuers, {{ if .cluster }}clusterissuers, {{ end }}certificates, orders]
  verbs: [get, list, watch]
- apiGroups: [zoneproof.dev]
  resources: [issuers/status, {{ if .cluster }}clusterissuers/status, {{ end }}certificates/status, orders/status]
  verbs: [update]
# Their finalizer, while values that they have to remove are in a zone.
- apiGroups: [zoneproof.dev]
  resources: [issuers{{ if .cluster }}, clusterissuers{{ end }}]
  verbs: [patch]
- apiGroups: [zoneproof.dev]
  resources: [orders]
  verbs: [create, patch, delete]
# By the names that Issuers and Certificates give: without list and watch.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch, delete{{ if .watchSecrets }}, list, watch{{ end }}]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}
