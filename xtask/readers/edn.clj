;;; What Clojure's reader of EDN reads.
(require '[clojure.edn :as edn])
(import '(java.io BufferedOutputStream FileInputStream InputStreamReader PushbackReader))

(def out (BufferedOutputStream. System/out))

(defn text [^String string] (.write out (.getBytes string "UTF-8")))

(defn token [tag ^String string]
  (let [octets (.getBytes string "UTF-8")]
    (text (str tag (alength octets) ":"))
    (.write out octets)
    (text "\n")))

(defn show [x]
  (cond
    (string? x) (token "S" x)
    (or (symbol? x) (keyword? x)) (token "Y" (str x))
    (char? x) (token "C" (str (int x)))
    (seq? x) (do (text "(") (run! show x) (text ")"))
    (vector? x) (do (text "[") (run! show x) (text "]"))
    ;; The order of a large map is lost, and that of any set.
    (and (map? x) (<= (count x) 8)) (do (text "(") (doseq [[k v] x] (show k) (show v)) (text ")"))
    (tagged-literal? x) (do (text "(") (token "Y" (str "#" (:tag x))) (show (:form x)) (text ")"))
    :else (token "N" (pr-str x))))

(def options
  {:eof ::end, :default tagged-literal, :readers {'inst #(tagged-literal 'inst %), 'uuid #(tagged-literal 'uuid %)}})

(defn file [name]
  (token "F" name)
  (try
    (with-open [in (PushbackReader. (InputStreamReader. (FileInputStream. ^String name) "UTF-8"))]
      (loop []
        (let [x (edn/read options in)]
          (if (= x ::end) (text ".\n") (do (show x) (recur))))))
    (catch Throwable fault (token "!" (str fault)))))

(run! file *command-line-args*)
(.flush out)
